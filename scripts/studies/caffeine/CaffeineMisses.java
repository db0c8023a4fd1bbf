import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Prints the misses of Caffeine on a trace: a line of capacity and misses for each capacity and run.
 *
 * Arguments: a file in the format oracleGeneral, the number of runs, and capacities in objects. The executor runs on
 * the calling thread, and each request is followed by the pending maintenance, so that no read is dropped. Runs differ,
 * because Caffeine seeds its hashes and its random admissions anew.
 */
public class CaffeineMisses {
  private static final int RECORD = 24;
  private static final int ID = 4;

  public static void main(String[] arguments) throws Exception {
    ByteBuffer trace;
    try (FileChannel file = FileChannel.open(Path.of(arguments[0]))) {
      trace = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).order(ByteOrder.LITTLE_ENDIAN);
    }
    int requests = trace.limit() / RECORD;
    for (int index = 2; index < arguments.length; index++) {
      int capacity = Integer.parseInt(arguments[index]);
      for (int run = 0; run < Integer.parseInt(arguments[1]); run++) {
        System.out.println(capacity + " " + misses(trace, requests, capacity));
      }
    }
  }

  private static int misses(ByteBuffer trace, int requests, int capacity) {
    // With an initial capacity, frequencies are counted from the first request on.
    Cache<Long, Boolean> cache =
        Caffeine.newBuilder().maximumSize(capacity).initialCapacity(capacity).executor(Runnable::run).build();
    int misses = 0;
    for (int request = 0; request < requests; request++) {
      Long id = trace.getLong(request * RECORD + ID);
      if (cache.getIfPresent(id) == null) {
        misses++;
        cache.put(id, Boolean.TRUE);
      }
      cache.cleanUp();
    }
    return misses;
  }
}
