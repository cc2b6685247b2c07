import Envelope
import Keys
import Sealing

struct PreparedCall {
    private let message: PreparedMessage

    init() throws { message = try PreparedMessage(Callee.call("room 7"), sentAt: .now) }

    func payload(_ callee: Callee) throws -> [UInt8] {
        try callee.caller.seal(message, for: callee.recipient()).payload(placeholder: .example)
    }
}
