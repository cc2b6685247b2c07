import ServiceParts

/// Counters. Labels are words of ours: nothing external makes a series.
struct SidecarMetrics: Sendable {
    enum Post: String, CaseIterable, Sendable {
        case accepted, rejected, refused, later, unreachable
    }

    enum BundleSource: String, CaseIterable, Sendable {
        case memory, file, relay
    }

    var messages: UInt64 = 0
    var sealed: UInt64 = 0
    var accepted: UInt64 = 0
    var rejected: [String: UInt64] = [:]
    var refused: [SidecarProblem.Kind: UInt64] = [:]
    var posts: [Post: UInt64] = [:]
    var bundles: [BundleSource: UInt64] = [:]
    var resends: UInt64 = 0
    var latency = Histogram()

    func append(to text: inout [UInt8], load: SidecarStore.Load) {
        MetricsText.build(&text, "sealedpush_sidecar_build_info")
        let counters: [(StaticString, StaticString, UInt64)] = [
            ("sealedpush_sidecar_messages_total", "Messages that are on disk.", messages),
            ("sealedpush_sidecar_sealed_total", "Copies that were sealed.", sealed),
            ("sealedpush_sidecar_accepted_total", "Copies that the relay has.", accepted),
            ("sealedpush_sidecar_resends_total", "Re-sends that devices asked for.", resends),
        ]
        for (name, help, value) in counters { MetricsText.single(&text, name, "counter", help, value) }
        let rejectedName: StaticString = "sealedpush_sidecar_rejected_total"
        MetricsText.series(&text, rejectedName, "counter", "Copies that will not be sent, by problem.") { text in
            for (word, count) in rejected.sorted(by: { $0.key < $1.key }) {
                MetricsText.line(&text, rejectedName, [("problem", word)], count)
            }
        }
        let refusedName: StaticString = "sealedpush_sidecar_refused_total"
        MetricsText.series(&text, refusedName, "counter", "Requests that were not taken, by problem.") { text in
            for kind in SidecarProblem.Kind.allCases {
                MetricsText.line(&text, refusedName, [("why", kind.rawValue)], refused[kind] ?? 0)
            }
        }
        let postsName: StaticString = "sealedpush_sidecar_posts_total"
        MetricsText.series(&text, postsName, "counter", "Requests to the relay, by how they ended.") { text in
            for post in Post.allCases { MetricsText.line(&text, postsName, [("end", post.rawValue)], posts[post] ?? 0) }
        }
        let bundlesName: StaticString = "sealedpush_sidecar_bundles_total"
        MetricsText.series(&text, bundlesName, "counter", "Bundles that were sealed to, by where they were.") { text in
            for source in BundleSource.allCases {
                MetricsText.line(&text, bundlesName, [("from", source.rawValue)], bundles[source] ?? 0)
            }
        }
        let depth: StaticString = "sealedpush_sidecar_queue_depth"
        MetricsText.single(&text, depth, "gauge", "Copies that wait for the relay.", UInt64(max(0, load.count)))
        let byteCount = UInt64(max(0, load.byteCount))
        MetricsText.single(&text, "sealedpush_sidecar_queue_bytes", "gauge", "Their sealed bytes.", byteCount)
        MetricsText.histogram(&text, "sealedpush_sidecar_accept_seconds", "From a request to its 202.", latency)
    }
}
