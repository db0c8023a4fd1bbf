import ReplayEngine
import Testing

@testable import CacheReports

@Suite("The CSV files of a results folder")
struct ResultFilesTests {
    @Test("summary.csv has the promised columns in the promised order")
    func summaryHeader() {
        let promised = """
            trace,cache,repeat,seed,clock,timing,network,holds,base_cache,swept,swept_value,user,\
            requests,prefetches,memory_hits,disk_hits,\
            origin_fetches,coalesced,deferred,\
            cancelled,failed,stale_hits,wrong,shown,late,never_shown,shown_ratio,shown_16ms_ratio,shown_100ms_ratio,\
            shown_1s_ratio,hit_ratio,memory_hit_ratio,byte_hit_ratio,origin_bytes,disk_read_bytes,\
            disk_written_bytes,memory_evictions,disk_evictions,memory_expirations,disk_expirations,damaged_files,\
            cache_faults,\
            prefetch_fetches,prefetch_used,prefetch_cancelled,prefetch_bytes,prefetch_wasted_bytes,\
            prefetch_blank_avoided_s,prefetch_blank_avoided_s_per_mb,\
            revalidations,not_modified,revalidation_saved_bytes,revalidation_wait_s,staleness_shown_s,\
            latency_mean_us,latency_p50_us,latency_p90_us,latency_p99_us,latency_p999_us,latency_max_us,\
            blank_ratio,blank_s,\
            memory_peak_bytes,image_memory_peak_bytes,rss_peak_bytes,disk_peak_bytes,trace_s,wall_s,requests_per_s,\
            lag_ratio,lag_p99_us,lag_max_us

            """
        #expect(ResultFiles.summary([]) == promised)
    }

    @Test("ten requests, worked out by hand")
    func summaryRow() {
        // 7 hits of 10; 8 of 10 shown, 7 of them within 16 ms, 1 late, 1 never; a third of the bytes; nothing measured,
        // so the three figures of the machine are empty.
        let row = ResultFiles.summary([Samples.ten()]).split(separator: "\n")[1]
        #expect(
            row == """
                feed,lru,1,1,virtual,modelled,recorded,decoded,lru,,,,\
                10,3,5,2,2,0,0,0,1,0,0,8,1,1,0.800000,0.700000,0.800000,\
                0.800000,0.700000,0.500000,0.333333,2000,0,0,0,0,0,0,0,,0,0,0,0,0,,,\
                0,0,0,0.000000,0.000000,\
                1.234,1.000,2.500,1000.000,1000.001,12345.678,0.250000,0.250000,1500,,,0,2.000000,,,,,
                """)
    }

    @Test("measured runs tell memory, time and speed of the machine")
    func machine() {
        var result = Samples.ten()
        result.machine = MachineFigures(residentPeakBytes: 4_096, wallTime: 4_000_000_000)
        let row = ResultFiles.summary([result]).split(separator: "\n")[1]
        #expect(row.hasSuffix(",1500,,4096,0,2.000000,4.000000,2.5,,,"))
        result.machine?.lag = ClockLag(count: 8, late: 2, p99: 20_000_000, max: 1_234_567_890)
        let late = ResultFiles.summary([result]).split(separator: "\n")[1]
        #expect(late.hasSuffix(",2.5,0.250000,20000.000,1234567.890"))
    }

    @Test("modelled runs tell the peak of images")
    func images() {
        var result = Samples.ten()
        result.imageMemoryPeak = 2_500
        let row = ResultFiles.summary([result]).split(separator: "\n")[1]
        #expect(row.hasSuffix(",1500,2500,,0,2.000000,,,,,"))
    }

    @Test("what prefetches bring and avoid")
    func prefetches() {
        var result = Samples.ten()
        result.prefetch.fetches = 5
        result.prefetch.used = 3
        result.prefetch.cancelled = 1
        result.prefetch.bytes = 2_000_000
        result.prefetch.unusedBytes = 500_000
        result.prefetch.blankAvoided = 3e9
        let row = ResultFiles.summary([result]).split(separator: "\n")[1]
        #expect(row.contains(",2000,0,0,0,0,0,0,0,,5,3,1,2000000,500000,3.000000,1.500000,0,0,0,"))
    }

    @Test("without requests there is no ratio and no latency, not a zero")
    func nothingHappened() {
        let row = ResultFiles.summary([RunResult(identity: Samples.identity())]).split(separator: "\n")[1]
        #expect(
            row
                == """
                feed,lru,1,1,virtual,modelled,recorded,decoded,lru,,,,\
                0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,,,,,,0,0,0,0,0,0,0,0,,0,0,0,0,0,,,0,0,0,0.000000,0.000000,\
                ,,,,,,,0.000000,0,,,0,0.000000,,,,,
                """
        )
    }

    @Test("latency.csv has a row for each source")
    func latency() {
        let lines = ResultFiles.latency([Samples.ten()]).split(separator: "\n")
        #expect(
            lines == [
                "trace,cache,repeat,outcome,count,mean_us,p50_us,p90_us,p99_us,p999_us,max_us",
                "feed,lru,1,memory_hit,5,0.000,0.000,0.000,0.000,0.000,0.000",
                "feed,lru,1,disk_hit,2,0.000,0.000,0.000,0.000,0.000,0.000",
                "feed,lru,1,origin,1,0.000,0.000,0.000,0.000,0.000,0.000",
                "feed,lru,1,coalesced,0,,,,,,",
            ])
    }

    @Test("timeline.csv has a row for each second")
    func timeline() {
        let lines = ResultFiles.timeline([Samples.ten()]).split(separator: "\n")
        #expect(
            lines == [
                "trace,cache,repeat,second,requests,memory_hits,disk_hits,memory_bytes,disk_bytes,fetches_in_flight,"
                    + "blank_cells",
                "feed,lru,1,0,10,5,2,1500,900,1.000000,3.000000", "feed,lru,1,1,0,0,0,0,0,0.000000,0.000000",
            ])
    }

    @Test("numbers never have an exponent, and what is not finite is empty")
    func numbers() {
        #expect(Unit.seconds.written(.real(1e-9)) == "0.000000")
        #expect(Unit.seconds.written(.real(1e16)) == "10000000000000000.000000")
        #expect(Unit.ratio.written(.real(.nan)) == "")
        #expect(Unit.ratio.written(.real(.infinity)) == "")
    }

    @Test("every metric has a name of its own and says what it means")
    func columns() {
        let names = SummaryColumns.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(SummaryColumns.all.allSatisfy { !$0.meaning.isEmpty })
        #expect(SummaryColumns.metrics.filter(\.isGated).allSatisfy { $0.polarity != .neutral })
    }
}
