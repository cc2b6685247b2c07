import APNS

/// Every app on every device that was ever given a token. A token opens to a number here, so none is looked up.
struct Installations {
    /// 32 bytes: a million of them are to fit beside everything else.
    struct Installation {
        /// Our own name for the device, from 1.
        let device: UInt32
        fileprivate let app: UInt32
        let salt: UInt32
        let generation: UInt16
        /// A newer token took its place: it never comes back.
        var isReplaced = false
        /// Pushes hear ExpiredToken in place of Unregistered.
        var isExpired = false
        fileprivate let owner: UInt64
        fileprivate var unregisteredAt = Int64.max

        /// Milliseconds since 1970; `nil`: the app is there.
        var unregisteredAtMilliseconds: Int64? {
            get { unregisteredAt == .max ? nil : unregisteredAt }
            set { unregisteredAt = newValue ?? .max }
        }

        func belongs(to owner: DeviceOwner?) -> Bool { self.owner == owner?.rawValue ?? 0 }
    }

    private var table: [Installation] = []
    private var bundleIDs: [Topic] = []
    private var apps: [Topic: UInt32] = [:]
    /// Devices with a certificate, whose apps are known to belong together.
    private var devices: [DeviceOwner: UInt32] = [:]
    private var deviceCount: UInt32 = 0

    var count: Int { table.count }

    subscript(_ number: UInt32) -> Installation {
        get { table[Int(number)] }
        set { table[Int(number)] = newValue }
    }

    func bundleID(of number: UInt32) -> Topic { bundleIDs[Int(table[Int(number)].app)] }

    /// The app whose hash begins with these 40 bits; `nil` for one that has no token here.
    func bundleID(ofApp app: UInt64) -> Topic? { bundleIDs.first { DeviceTokenMint.app(of: $0) == app } }

    /// - Parameters:
    ///   - bundleID: the app.
    ///   - owner: the device's certificate, if it has one.
    ///   - earlier: the installation whose place it takes, on the same device.
    ///   - salt: four random bytes.
    /// - Returns: its number.
    mutating func add(_ bundleID: Topic, owner: DeviceOwner?, earlier: UInt32?, salt: UInt32) -> UInt32 {
        let number = UInt32(table.count)
        let before = earlier.map { self[$0] }
        table.append(
            Installation(
                device: before?.device ?? device(of: owner),
                app: app(bundleID),
                salt: salt,
                generation: before.map { $0.generation &+ 1 } ?? 0,
                owner: owner?.rawValue ?? 0
            )
        )
        return number
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
