import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Prints the misses of Caffeine on a trace: a line of capacity and misses for each capacity and run.
 *
 * Arguments: a file in the format oracleGeneral, the number of runs, "objects" or "bytes", and capacities in them. With
 * bytes, an entry weighs its size. The executor runs on the calling thread, and each request is followed by the pending
 * maintenance, so that no read is dropped. Runs differ, because Caffeine seeds its hashes and its random admissions
 * anew.
 */
public class CaffeineMisses {
  private static final int RECORD = 24;
  private static final int ID = 4;
  private static final int SIZE = 12;

  private final ByteBuffer trace;
  private final int requests;
  /** The entries that the last run held at most. */
  private long held;

  private CaffeineMisses(Path file) throws Exception {
    try (FileChannel channel = FileChannel.open(file)) {
      trace = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()).order(ByteOrder.LITTLE_ENDIAN);
    }
    requests = trace.limit() / RECORD;
  }

  public static void main(String[] arguments) throws Exception {
    CaffeineMisses simulation = new CaffeineMisses(Path.of(arguments[0]));
    boolean countsBytes = arguments[2].equals("bytes");
    for (int index = 3; index < arguments.length; index++) {
      long capacity = Long.parseLong(arguments[index]);
      int entries = (int) Math.min(capacity, simulation.requests);
      if (countsBytes) {
        // The number of entries is not known before a run. A new one counts before another leaves for it.
        simulation.misses(capacity, countsBytes, entries);
        entries = (int) simulation.held + 1;
      }
      for (int run = 0; run < Integer.parseInt(arguments[1]); run++) {
        System.out.println(capacity + " " + simulation.misses(capacity, countsBytes, entries));
      }
    }
  }

  /** With `entries`, frequencies are counted from the first request on, and for so many entries. */
  private int misses(long capacity, boolean countsBytes, int entries) {
    Caffeine<Object, Object> builder = Caffeine.newBuilder().initialCapacity(entries).executor(Runnable::run);
    Cache<Long, Integer> cache =
        countsBytes
            ? builder.maximumWeight(capacity).weigher((Object id, Object size) -> (Integer) size).build()
            : builder.maximumSize(capacity).build();
    int misses = 0;
    held = 0;
    for (int request = 0; request < requests; request++) {
      Long id = trace.getLong(request * RECORD + ID);
      if (cache.getIfPresent(id) == null) {
        misses++;
        cache.put(id, trace.getInt(request * RECORD + SIZE));
      }
      cache.cleanUp();
      held = Math.max(held, cache.estimatedSize());
    }
    return misses;
  }
}
