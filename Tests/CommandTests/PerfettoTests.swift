import Foundation
import Testing

/// Perfetto reads the events of replays with its own trace processor.
///
/// The package of Perfetto has no trace processor: it downloads one for the machine, checks its SHA-256 and keeps it
/// below the home folder, which is that of the Python environment here. A `trace_processor_shell` of the system is
/// used instead if there is one.
@Suite(
    "Perfetto reads replay --events", .namesCommands,
    .enabled(
        if: FileManager.default.fileExists(atPath: Binary.root.path + "/.build/test-python/perfetto-ready"),
        "scripts/test --thorough installs perfetto from PyPI, and its trace processor from storage.googleapis.com"))
struct PerfettoTests {
    private static let caches = [
        "nuke=nuke-13; memory: 8MB", "small=memory: lru(4MB); disk: lru(9MB)",
        "short=memory: ttl(lru(4MB), lifetime: 2s); disk: none",
    ]

    /// The functions of the programs below. The arguments are the file of events, and others.
    private static let start = """
        import atexit, csv, json, os, shutil, sys
        os.environ["HOME"] = sys.prefix
        from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
        path = sys.argv[1]
        config = TraceProcessorConfig(bin_path=shutil.which("trace_processor_shell"), load_timeout=120)
        processor = TraceProcessor(trace=path, config=config)
        atexit.register(processor.close)
        def rows(sql, *columns):
            return [tuple(getattr(row, column) for column in columns) for row in processor.query(sql)]
        def number(sql):
            return rows(f"select ({sql}) as n", "n")[0][0]
        events = json.load(open(path))["traceEvents"]
        # Nothing is dropped: neither slices that overlap nor arrows without ends.
        errors = rows("select name, value from stats where value > 0 and "
                      "(name glob 'json_*' or name glob 'slice_*' or name glob 'flow_*')", "name", "value")
        assert not errors, errors
        assert number("select count(*) from slice") == sum(event["ph"] in "Xi" for event in events)
        assert number("select count(*) from flow") == sum(event["ph"] == "s" for event in events)
        slices = '''(select s.*, p.name as process from slice s join thread_track t on s.track_id = t.id
                     join thread h on t.utid = h.utid join process p on h.upid = p.upid)'''

        """

    /// Compares the misses by cause with `causes.csv`, evictions with `summary.csv`, and the limits of memory.
    private static let comparison = """
        causes, summary, trace = sys.argv[2:]
        found = {(process, tier, cause): n for process, tier, cause, n in rows(f'''
            select process, extract_arg(arg_set_id, 'args.tier') as tier,
                extract_arg(arg_set_id, 'args.cause') as cause, count(*) as n
            from {slices} where category = 'miss' group by 1, 2, 3''', "process", "tier", "cause", "n")}
        expected = {(f"cells of {trace}, {row['cache']}", row["tier"], row["cause"]): int(row["requests"])
                    for row in csv.DictReader(open(causes))}
        assert found == expected, (found, expected)
        for row in csv.DictReader(open(summary)):
            for tier in ["memory", "disk"]:
                for category, column in [("eviction", "evictions"), ("expiration", "expirations")]:
                    n = number(f'''select count(*) from {slices} where category = '{category}'
                        and process = '{trace}, {row['cache']}'
                        and extract_arg(arg_set_id, 'args.tier') glob '*{tier}' ''')
                    assert n == int(row[f"{tier}_{column}"]), (row["cache"], tier, column, n)
        # A blank time lies within the time in which its cell is visible.
        assert number('''select count(*) from slice b left join slice v on b.parent_id = v.id
            where b.category = 'blank' and b.dur > 0 and v.category is not 'visible' ''') == 0
        # Arrows lead from a cell to what brought its image. The phases of a fetch have no key.
        assert number('''select count(*) from flow join slice o on slice_out = o.id join slice i on slice_in = i.id
            left join slice p on i.parent_id = p.id where extract_arg(o.arg_set_id, 'args.key') is not
            coalesce(extract_arg(i.arg_set_id, 'args.key'), extract_arg(p.arg_set_id, 'args.key'))''') == 0
        limits = rows('''select distinct p.name as process, c.value as value from counter c
            join process_counter_track t on c.track_id = t.id join process p on t.upid = p.upid
            where t.name = 'memory limit bytes' ''', "process", "value")
        assert (f"{trace}, small", 4e6) in limits and len(limits) == len(set(limits)), limits
        print(len(expected), "causes,", sum(expected.values()), "misses")
        """

    private func replay(_ trace: String, to output: String) throws {
        try Command.succeed(
            ["replay", trace, "--timing", "modelled", "--events", "--no-charts", "--output", output]
                + Self.caches.flatMap { ["--cache", $0] })
    }

    @Test("the misses by cause of all caches are those of causes.csv", arguments: ["stress-return", "photo-feed"])
    func causes(session: String) throws {
        try withTemporaryFolder { folder in
            let trace = "Traces/\(session).jsonl"
            try replay(trace, to: folder.path + "/o")
            try Command.succeed(
                ["explain", trace, "--no-charts", "--output", folder.path + "/why"]
                    + Self.caches.flatMap { ["--cache", $0] })
            let run = try PythonPeers.run(
                Self.start + Self.comparison, folder.path + "/o/events/\(session)--1.json",
                folder.path + "/why/causes.csv", folder.path + "/o/summary.csv", session)
            #expect(run.status == 0 && run.output.contains(" causes, "), "\(run.output)")
        }
    }

    @Test("keys of any characters break neither the events of their object nor those behind them")
    func hostileKeys() throws {
        try withTemporaryFolder { folder in
            let keys = ["\\", "\"", "\\\"", "}],{[\\\\", "line\nbreak \u{1B}[31m", "ключ 🙂", "plain"]
            var lines = [#"{"cachereplay_trace":1}"#]
            for (object, key) in keys.enumerated() {
                let line: [String: Any] = ["e": "object", "o": object, "key": key, "bytes": 1_000]
                lines.append(String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self))
                lines.append(#"{"t":\#(object * 1_000),"e":"appear","o":\#(object)}"#)
            }
            lines += keys.indices.map { #"{"t":\#(9_000_000 + $0),"e":"disappear","o":\#($0)}"# }
            try replay(
                try folder.write(lines.joined(separator: "\n") + "\n", to: "hostile.jsonl"), to: folder.path + "/o")
            let program = """
                assert number("select count(*) from slice where category = 'visible'") == 3 * \(keys.count)
                assert number("select count(*) from slice where name = 'visible plain'") == 3
                """
            let run = try PythonPeers.run(Self.start + program, folder.path + "/o/events/hostile--1.json")
            #expect(run.status == 0, "\(run.output)")
        }
    }
}
