/// Value of a row that is copied to another engine.
package enum CopiedValue: Equatable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case none
}
