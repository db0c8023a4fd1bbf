import Basics
import ReplayEngine
import SessionModel
import TraceAnalysis

extension TraceInspection {
    /// Returns the counts and the figures as one JSON object on one line. Unknown values, and a consistency of nil, are
    /// null.
    public func json(_ consistency: ConsistencyReport? = nil) -> String {
        JSONWriter.object { json in
            summary.writeMembers(to: &json, format: format, facts: facts, pages: pages, warnings: warnings)
            json.member("not_recorded", analysis.missing)
            json.object("popularity") { analysis.popularity.write(to: &$0) }
            json.object("reuse_distance") { analysis.reuse.write(to: &$0) }
            let hasTimes = !analysis.missing.contains("times")
            json.object("between_requests_us") { analysis.interArrivals.byRequest.write(to: &$0, isKnown: hasTimes) }
            json.object("between_uses_us") { analysis.interArrivals.byObject.write(to: &$0, isKnown: hasTimes) }
            json.object("working_set") { analysis.workingSet.write(to: &$0) }
            json.object("sizes") { json in
                for sizes in analysis.sizes { json.object("\(sizes.variant)") { sizes.write(to: &$0) } }
            }
            json.object("fetches_in_flight") { analysis.concurrency?.write(to: &$0) }
            json.object("scroll") { analysis.scroll?.write(to: &$0) }
            json.object("pace") { analysis.habits.flatMap(Pace.init)?.write(to: &$0) }
            json.key("consistency")
            if let consistency { consistency.write(to: &json) } else { json.null() }
        }.text
    }
}

extension ConsistencyReport {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("first_fetches_only", isPartial)
            json.array("checks", checks) { json, check in
                json.object {
                    $0.member("network", check.network.name)
                    $0.member("fetches", check.fetches)
                    for (name, value) in check.milliseconds { $0.figure(name, value) }
                    $0.member("agrees", check.passes)
                }
            }
            json.member("notes", notes)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func figure(_ name: String, _ value: Int?) { member(name, value) }

    /// Writes six significant digits; more would exceed the precision of the figures.
    fileprivate mutating func figure(_ name: String, _ value: Double?) {
        key(name)
        if let value { double(Self.rounded(value)) } else { null() }
    }

    private static func rounded(_ value: Double) -> Double {
        guard value.isFinite, value != 0 else { return value }
        return Double(GnuplotText.significant(value, 6)) ?? value
    }
}

extension Popularity {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("zipf_exponent", zipf?.exponent)
        json.figure("zipf_standard_error", zipf?.standardError)
        json.figure("zipf_ks_distance", zipf?.distance)
        json.figure("one_hit_wonders", oneHitWonders)
        json.figure("one_hit_wonder_share", counts.isEmpty ? nil : Double(oneHitWonders) / Double(counts.count))
        json.figure("top_1_percent_share", requestShare(ofTop: 0.01))
        json.figure("top_10_percent_share", requestShare(ofTop: 0.1))
    }
}

extension ReuseDistances {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("first_uses", firstUses)
        json.figure("reuses", reuses)
        json.figure("mean", mean)
        for share in JSONWriter.shares { json.figure(share.name, quantile(share.value)) }
    }
}

extension LogHistogram {
    fileprivate func write(to json: inout JSONWriter, isKnown: Bool) {
        json.figure("count", isKnown ? count : 0)
        json.figure("mean", isKnown ? mean : nil)
        for share in JSONWriter.shares { json.figure(share.name, isKnown ? quantile(share.value).map(Int.init) : nil) }
    }
}

extension WorkingSet {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("window_s", isOfTime ? Double(windowLength) / 1e6 : nil)
        json.figure("window_requests", isOfTime ? nil : Int(windowLength))
        json.figure("mean_objects", mean(\.objects))
        json.figure("peak_objects", peak(\.objects))
        json.figure("mean_bytes", mean(\.bytes))
        json.figure("peak_bytes", peak(\.bytes))
        json.figure("recent_windows", Self.recent)
        json.figure("peak_recent_objects", peak(\.recentObjects))
        json.figure("peak_recent_bytes", peak(\.recentBytes))
        json.array("windows", windows) { json, window in
            json.beginObject()
            if isOfTime {
                json.figure("start_s", Double(window.start) / 1e6)
            } else {
                json.figure("start_request", Int(window.start))
            }
            json.figure("requests", window.requests)
            json.figure("objects", window.objects)
            json.figure("bytes", window.bytes)
            json.figure("recent_objects", window.recentObjects)
            json.figure("recent_bytes", window.recentBytes)
            json.figure("cumulative_objects", window.cumulativeObjects)
            json.figure("cumulative_bytes", window.cumulativeBytes)
            json.endObject()
        }
    }
}

extension ObjectSizeStatistics {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("objects", objects)
        json.figure("unknown", unknown)
        json.figure("min", sorted.first)
        for share in JSONWriter.shares { json.figure(share.name, quantile(share.value)) }
        json.figure("mean", mean)
        json.figure("log_spread", spread)
    }
}

extension FetchConcurrency {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("fetches", fetches)
        json.figure("without_times", untimed)
        json.figure("peak", peak)
        json.figure("mean", mean)
        json.figure("mean_while_busy", meanWhileBusy)
        json.figure("busy_s", Double(busy) / 1e6)
    }
}

extension ScrollSpeeds {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("events", events)
        json.figure("flicks", flicks)
        json.figure("distance_points", distance)
        for phase in ScrollPhase.allCases { json.figure("\(phase.rawValue)_s", Double(time(phase)) / 1e6) }
        for phase in [ScrollPhase.dragged, .decelerating] {
            json.object("\(phase.rawValue)_speed") { json in
                for share in JSONWriter.shares { json.figure(share.name, speed(phase, quantile: share.value)) }
            }
        }
    }
}

extension Pace {
    fileprivate func write(to json: inout JSONWriter) {
        json.figure("screens_per_minute", screensPerMinute)
        json.figure("moving_share", moving)
        json.figure("back_share", back)
        json.figure("known_ground_share", known)
        json.figure("times_as_fast_as_people", screensPerMinute / Self.ofPeople)
    }
}

extension JSONWriter {
    /// The percentiles of every distribution.
    fileprivate static let shares = [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)].map {
        (name: $0.0, value: $0.1)
    }
}
