import Basics
import CachePolicies
import ImageLibraries
import ReplayEngine

extension Playground {
    /// Returns what the page needs before its first question, as JSON, with the answer to the first question.
    ///
    /// The first session that can be replayed is read, and no other one. If none can, `figures` is null, and `error`
    /// says why.
    package func start(isOvertaken: @escaping @Sendable () -> Bool) -> String {
        let options = options
        var question = firstQuestion(options.sessions[0].name)
        var figures: String?
        var problem: String?
        var marks: [PlayMark] = []
        for (place, session) in options.sessions.enumerated() {
            do {
                question.session = session.name
                let loaded = try sessions.session(place)
                marks = PlayMark.marks(of: loaded)
                figures = try self.figures(try Asked(question, self, isOvertaken))
                problem = nil
                break
            } catch {
                if problem == nil { problem = "\(error)" }
                if isOvertaken() { break }
            }
        }
        if figures == nil { question.session = options.sessions[0].name }
        let (asked, answer, reason, sizes) = (question, figures, problem, marks)
        return JSONWriter.object { json in
            json.member("version", options.version)
            json.member("complete", completeness.isComplete)
            writeSessions(to: &json)
            writeCaches(to: &json)
            json.array("networks", options.networks) { json, network in
                json.object { json in
                    json.member("name", network.name)
                    json.member("label", network.label)
                }
            }
            json.array("devices", KnownDevice.all) { json, device in Self.write(device, to: &json) }
            PlayControls.write(sizes, to: &json)
            json.key("question")
            asked.write(to: &json)
            json.key("figures")
            // The answer is JSON already.
            if let answer { json.number(answer) } else { json.null() }
            json.member("error", reason)
        }.text
    }

    package func allSessions(isOvertaken: @escaping @Sendable () -> Bool) -> String {
        waitForSessions(isOvertaken)
        return JSONWriter.object { json in
            writeSessions(to: &json)
            json.member("error", completeness.problem)
        }.text
    }

    private func firstQuestion(_ session: String) -> PlayQuestion {
        let network = options.networks[0].name
        let caches = options.caches.map { PlayQuestion.Cache(base: $0, network: network) }
        var question = PlayQuestion(session: session, caches: caches, seed: options.seed)
        question.app = options.app
        return question
    }

    private func writeSessions(to json: inout JSONWriter) {
        let options = options
        json.key("sessions")
        json.beginArray()
        for (place, session) in options.sessions.enumerated() {
            let facts = sessions.facts(of: place)
            json.object { json in
                json.member("name", session.name)
                json.member("title", facts?.title)
                json.member("requests", facts?.requests)
                json.member("duration_us", facts?.duration)
                json.key("sizes")
                if let facts {
                    json.object { json in
                        json.member("largest", facts.largestImage)
                        json.member("working_set", facts.workingSet)
                    }
                } else {
                    json.null()
                }
                json.member("problem", sessions.problem(of: place))
                json.member("people", 0)
            }
        }
        for population in options.populations {
            json.object { json in
                json.member("name", population.name)
                json.member("title", String?.none)
                json.member("requests", Int?.none)
                json.member("duration_us", Int64?.none)
                json.key("sizes")
                json.null()
                json.member("problem", String?.none)
                json.member("people", population.sessions.count)
            }
        }
        json.endArray()
    }

    /// A base that the page offers.
    private struct Offer {
        var base: String
        var about: String
        var group: String
    }

    /// Writes the bases that the page offers: the caches of the command, libraries and designs, and policies.
    private func writeCaches(to json: inout JSONWriter) {
        let presets = CachePreset.all.map { preset -> Offer in
            let isDesign = preset.family == .handWritten
            return Offer(base: preset.name, about: preset.summary, group: isDesign ? "designs" : "libraries")
        }
        let names = Set(presets.map(\.base))
        let own = (options.caches + options.offered).unique().filter { !names.contains($0) }
        var offers = own.map { Offer(base: $0, about: "from the command", group: "own") } + presets
        for policy in options.registry.entries where policy.needsOnlyLimits {
            // Some policies have a label for their limit.
            let limit = Size.bytes(64_000_000)
            guard let text = try? PolicySpec(named: policy.name).limited(to: limit, registry: options.registry) else {
                continue
            }
            offers.append(Offer(base: text.description, about: policy.summary, group: "policies"))
        }
        json.array("caches", offers) { json, offer in
            json.object { json in
                json.member("base", offer.base)
                json.member("about", offer.about)
                json.member("group", offer.group)
            }
        }
    }

    private static func write(_ device: KnownDevice, to json: inout JSONWriter) {
        json.object { json in
            json.member("name", device.name)
            json.member("memory", Size.bytes(device.memory ?? device.limit).description)
            // The rule that gives presets the limits of this device.
            json.member("rule", device.memory == nil ? "memoryClass" : "ram")
            json.member("limit", device.limit)
            let system = device.system.map { ", \($0)" } ?? ""
            json.member("about", "the system ends an app at \(HumanText.bytes(Double(device.limit)))\(system)")
        }
    }
}
