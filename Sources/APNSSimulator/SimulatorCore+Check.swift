import APNS
package import HTTP
import Networking

extension SimulatorCore {
    /// Checks a request as if it came over a new connection; nothing remembers it.
    func check(_ headers: HeaderBlock, payload: [UInt8]) -> PushCheck {
        var validator = RequestValidator(keys: keys, configuration)
        var ledger = ledger
        let verdict = validator.validate(
            headers,
            payload: payload,
            payloadByteCount: payload.count,
            now: now,
            ledger: &ledger,
            makeID: { freshID() },
            registration: { registration(of: $0) }
        )
        switch verdict.result {
        case .success(let push): return PushCheck(reason: nil, lints: Lint.all(of: push, payload: payload))
        case .failure(let rejection):
            let name = RequestFields(headers).pushType.map { Array($0) } ?? []
            let lints = PushType(headerValue: name.span).map { Lint.all(in: payload, $0) } ?? []
            return PushCheck(reason: rejection.reason, lints: lints)
        }
    }
}

extension Simulator {
    /// Checks a request as if it came over a new connection; nothing remembers it.
    package func check(_ headers: HeaderBlock, payload: [UInt8]) async -> PushCheck {
        let core = core
        return await core.loop.run { core.value.check(headers, payload: payload) }
    }
}
