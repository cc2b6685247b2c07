import APNS
import DeviceLink

/// All registrations that ever had a token, which contains its index here.
struct Installations {
    /// 32 bytes, so that a million fit in memory.
    struct Installation {
        /// Our number of the device, from 1.
        let device: UInt32
        fileprivate let app: UInt32
        let salt: UInt32
        let generation: UInt16
        let kind: TokenKind
        private var flags: UInt8 = 0
        fileprivate let owner: UInt64
        fileprivate var unregisteredAt = Int64.max

        /// True once a newer token replaced it, for good.
        var isReplaced: Bool {
            get { flags & 1 != 0 }
            set { flags = newValue ? flags | 1 : flags & ~1 }
        }

        var isExpired: Bool {
            get { flags & 2 != 0 }
            set { flags = newValue ? flags | 2 : flags & ~2 }
        }

        fileprivate init(device: UInt32, app: UInt32, salt: UInt32, generation: UInt16, kind: TokenKind, owner: UInt64)
        {
            (self.device, self.app, self.salt, self.generation) = (device, app, salt, generation)
            (self.kind, self.owner) = (kind, owner)
        }

        /// Milliseconds since 1970; `nil` while registered.
        var unregisteredAtMilliseconds: Int64? {
            get { unregisteredAt == .max ? nil : unregisteredAt }
            set { unregisteredAt = newValue ?? .max }
        }

        func belongs(to owner: DeviceOwner?) -> Bool { self.owner == owner?.rawValue ?? 0 }
    }

    private var table: [Installation] = []
    /// Changes since the last `takeChanged`; `nil` if not tracked.
    private var changed: [UInt32]?
    private var bundleIDs: [Topic] = []
    private var apps: [Topic: UInt32] = [:]
    /// Devices with a certificate, whose apps can be grouped.
    private var devices: [DeviceOwner: UInt32] = [:]
    private var deviceCount: UInt32 = 0

    var count: Int { table.count }

    subscript(_ number: UInt32) -> Installation {
        get { table[Int(number)] }
        set {
            table[Int(number)] = newValue
            changed?.append(number)
        }
    }

    func bundleID(of number: UInt32) -> Topic { bundleIDs[Int(table[Int(number)].app)] }

    /// `nil` without a token here; `app` is the first 40 bits of its hash.
    func bundleID(ofApp app: UInt64) -> Topic? { bundleIDs.first { DeviceTokenMint.app(of: $0) == app } }

    /// - Parameters:
    ///   - earlier: installation on the same device that it replaces.
    ///   - salt: four random bytes.
    mutating func add(_ app: RegisteredApp, owner: DeviceOwner?, earlier: UInt32?, salt: UInt32) -> UInt32 {
        let before = earlier.map { self[$0] }
        return append(
            Installation(
                device: before?.device ?? device(of: owner),
                app: self.app(app.bundleID),
                salt: salt,
                generation: before.map { $0.generation &+ 1 } ?? 0,
                kind: app.kind,
                owner: owner?.rawValue ?? 0
            )
        )
    }

    mutating func add(_ kind: TokenKind, beside base: UInt32, salt: UInt32) -> UInt32 {
        let before = self[base]
        return append(
            Installation(
                device: before.device,
                app: before.app,
                salt: salt,
                generation: 0,
                kind: kind,
                owner: before.owner
            )
        )
    }

    private mutating func append(_ installation: Installation) -> UInt32 {
        let number = UInt32(table.count)
        table.append(installation)
        changed?.append(number)
        return number
    }

    mutating func keepChanges() { changed = changed ?? [] }

    /// Numbers, first change first.
    mutating func takeChanged() -> [UInt32] {
        guard let numbers = changed, !numbers.isEmpty else { return [] }
        changed = []
        var seen: Set<UInt32> = []
        return numbers.filter { seen.insert($0).inserted }
    }

    /// Record for the file, without base and instance.
    func record(of number: UInt32) -> TokenRecord {
        let own = self[number]
        var record = TokenRecord(
            number: number,
            app: RegisteredApp(bundleID: bundleID(of: number), kind: own.kind),
            device: own.device,
            generation: own.generation,
            salt: own.salt,
            owner: own.owner
        )
        if let time = own.unregisteredAtMilliseconds {
            record.status = own.isReplaced ? .replaced(time) : own.isExpired ? .expired(time) : .unregistered(time)
        }
        return record
    }

    /// Adds an earlier run's registration, in the order of numbers.
    mutating func restore(_ record: TokenRecord) {
        var own = Installation(
            device: record.device,
            app: app(record.app.bundleID),
            salt: record.salt,
            generation: record.generation,
            kind: record.app.kind,
            owner: record.owner
        )
        switch record.status {
        case .active: break
        case .unregistered(let time): own.unregisteredAtMilliseconds = time
        case .expired(let time): (own.unregisteredAtMilliseconds, own.isExpired) = (time, true)
        case .replaced(let time): (own.unregisteredAtMilliseconds, own.isReplaced) = (time, true)
        }
        if let owner = DeviceOwner(rawValue: record.owner) { devices[owner] = record.device }
        deviceCount = max(deviceCount, record.device)
        _ = append(own)
    }

    private mutating func app(_ bundleID: Topic) -> UInt32 {
        if let app = apps[bundleID] { return app }
        let app = UInt32(bundleIDs.count)
        bundleIDs.append(bundleID)
        apps[bundleID] = app
        return app
    }

    private mutating func device(of owner: DeviceOwner?) -> UInt32 {
        if let owner, let device = devices[owner] { return device }
        deviceCount += 1
        if let owner { devices[owner] = deviceCount }
        return deviceCount
    }
}
