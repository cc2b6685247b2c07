/// How much a notification is in a hurry. Each lane is a queue of its own, so that a broadcast never delays a call.
package enum Lane: UInt8, CaseIterable, Sendable {
    case urgent = 0
    case normal = 1
    case background = 2
}
