import DeviceLink

struct SiblingTokens {
    /// Our limit for each base; Apple has none for Live Activities.
    static let countMax = 1_000

    private var numbers: [UInt32: [TokenRegistration: UInt32]] = [:]
    /// Reverse index. Keeps removed registrations, to which a file refers.
    private var places: [UInt32: (base: UInt32, registration: TokenRegistration)] = [:]

    func place(of number: UInt32) -> (base: UInt32, registration: TokenRegistration)? { places[number] }

    func number(of registration: TokenRegistration, beside base: UInt32) -> UInt32? { numbers[base]?[registration] }

    /// In registration order.
    func numbers(beside base: UInt32) -> [UInt32] { numbers[base].map { $0.values.sorted() } ?? [] }

    func hasRoom(beside base: UInt32) -> Bool { (numbers[base]?.count ?? 0) < Self.countMax }

    mutating func add(_ registration: TokenRegistration, _ number: UInt32, beside base: UInt32) {
        numbers[base, default: [:]][registration] = number
        places[number] = (base, registration)
    }

    mutating func remove(beside base: UInt32) { numbers[base] = nil }
}
