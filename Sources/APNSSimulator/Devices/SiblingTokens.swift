import DeviceLink

/// Which registrations of a device are beside which base.
struct SiblingTokens {
    /// Beside one base: ours, as with Apple there are as many Live Activities as a person likes.
    static let countMax = 1_000

    private var numbers: [UInt32: [TokenRegistration: UInt32]] = [:]
    /// The other way; also of what was removed, which a file still names.
    private var places: [UInt32: (base: UInt32, registration: TokenRegistration)] = [:]

    func place(of number: UInt32) -> (base: UInt32, registration: TokenRegistration)? { places[number] }

    func number(of registration: TokenRegistration, beside base: UInt32) -> UInt32? { numbers[base]?[registration] }

    /// In the order in which they were registered.
    func numbers(beside base: UInt32) -> [UInt32] { numbers[base].map { $0.values.sorted() } ?? [] }

    func hasRoom(beside base: UInt32) -> Bool { (numbers[base]?.count ?? 0) < Self.countMax }

    mutating func add(_ registration: TokenRegistration, _ number: UInt32, beside base: UInt32) {
        numbers[base, default: [:]][registration] = number
        places[number] = (base, registration)
    }

    mutating func remove(beside base: UInt32) { numbers[base] = nil }
}
