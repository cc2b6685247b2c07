import Networking
import Platform

/// Shared state of a server's connections. Lives on its loop.
final class HTTPService {
    let loop: EventLoop
    var limits: HTTPLimits
    let budget: HTTPBodyBudget
    var refusals: RefusalBudget
    private var date = HTTPDateField()
    /// Nil once the server closes: an application may hold its server.
    private var application: (any HTTPApplication)?

    init(application: any HTTPApplication, limits: HTTPLimits, loop: EventLoop) {
        self.loop = loop
        self.limits = limits
        self.application = application
        budget = HTTPBodyBudget(
            keyed: limits.keyedBodyMemoryMax,
            keyless: limits.keylessBodyMemoryMax,
            network: limits.networkBodyMemoryMax
        )
        refusals = RefusalBudget(limits.refusals)
    }

    func begin(_ head: HTTPHead) -> HTTPBeginning {
        refusals.didBegin()
        return application?.begin(head) ?? .answer(HTTPAnswer(status: 503))
    }

    /// Adds the time (RFC 9110 section 6.6.1).
    func dated(_ fields: HeaderBlock) -> HeaderBlock {
        var fields = fields
        fields.append(Self.dateName, date.value(time(nil)))
        return fields
    }

    private static let dateName = Array("date".utf8)

    func end() { application = nil }
}
