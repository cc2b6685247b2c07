/// Tenants by number, for short rows and indexes. Used by one connection; a number never changes.
final class TenantTable {
    private let selectNumber: SQLiteStatement
    private let selectName: SQLiteStatement
    private let insert: SQLiteStatement
    private var numbers: [TenantID: Int64] = [:]
    private var names: [Int64: TenantID] = [:]
    /// Neighbours are mostly of one tenant.
    private var last: (tenant: TenantID, number: Int64)?

    init(_ connection: SQLiteConnection) throws(StoreError) {
        selectNumber = try connection.prepare("SELECT id FROM tenant WHERE name = ?")
        selectName = try connection.prepare("SELECT name FROM tenant WHERE id = ?")
        insert = try connection.prepare("INSERT INTO tenant (name) VALUES (?) RETURNING id")
    }

    /// - Returns: nil for an unknown tenant.
    func number(_ tenant: TenantID) throws(StoreError) -> Int64? {
        if let last, last.tenant == tenant { return last.number }
        if let number = numbers[tenant] {
            last = (tenant, number)
            return number
        }
        guard let number = try selectNumber.first([.bytes(tenant.bytes)], { $0.integer(0) }) else { return nil }
        note(tenant, number)
        return number
    }

    func makeNumber(_ tenant: TenantID) throws(StoreError) -> Int64 {
        if let number = try number(tenant) { return number }
        guard let number = try insert.first([.bytes(tenant.bytes)], { $0.integer(0) }) else { throw .damaged }
        note(tenant, number)
        return number
    }

    /// - Returns: nil for an unknown number: damage.
    func name(_ number: Int64) throws(StoreError) -> TenantID? {
        if let name = names[number] { return name }
        guard let bytes = try selectName.first([.integer(number)], { $0.bytes(0) }), !bytes.isEmpty else { return nil }
        let tenant = try TenantID(bytes: bytes)
        note(tenant, number)
        return tenant
    }

    /// Runs after a rollback.
    func forget() {
        numbers = [:]
        names = [:]
        last = nil
    }

    private func note(_ tenant: TenantID, _ number: Int64) {
        numbers[tenant] = number
        names[number] = tenant
    }
}
