public import Keys

// App data that the extension shows with messages.
extension AppDevice {
    /// Badge number; nil before `setBadge`, or if damaged. Throws `.locked`, `.system`.
    public func badge() throws(AppDeviceError) -> Int? {
        try translated { () throws(ContainerError) in try container.badge.count() }
    }

    /// Sets the extension's badge number, not iOS's. Shown messages then raise it, unless
    /// `DisplayPolicy.countsMessages` is off; a service's badge sets it.
    ///
    /// - Parameter count: clamped to 0…9,999.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setBadge(_ count: Int) throws(AppDeviceError) {
        try translated { () throws(ContainerError) in try container.badge.set(count, ifMissing: .create) }
    }

    /// Limit of a picture in bytes.
    public static let avatarByteCountMax = AvatarFolder.byteCountMax

    /// Sets a sender's picture for communication notifications.
    ///
    /// - Parameters:
    ///   - picture: PNG or JPEG, 1 to `avatarByteCountMax` bytes; nil for none.
    ///   - key: the sender's.
    ///   - name: whom a service speaks for; nil for the sender itself.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setAvatar(
        _ picture: [UInt8]?,
        of key: SenderKey,
        speakingFor name: String? = nil
    ) throws(AppDeviceError) {
        precondition(picture.map { (1...AvatarFolder.byteCountMax).contains($0.count) } ?? true)
        let handle = NotificationContent.Sender.handle(of: key, speakingFor: name)
        try translated { () throws(FileError) in try container.avatars.set(picture, for: handle) }
    }

    /// Limit of a group's name in UTF-8 bytes.
    public static let groupNameByteCountMax = GroupFolder.nameByteCountMax

    /// Sets a group's name and picture for communication notifications.
    ///
    /// - Parameters:
    ///   - name: 1 to `groupNameByteCountMax` bytes; nil makes the thread none.
    ///   - picture: as for `setAvatar`.
    ///   - threadID: messages' `threadID`.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setGroup(_ name: String?, picture: [UInt8]?, threadID: String) throws(AppDeviceError) {
        precondition(picture.map { (1...AvatarFolder.byteCountMax).contains($0.count) } ?? true)
        precondition(name.map { (1...GroupFolder.nameByteCountMax).contains($0.utf8.count) } ?? true)
        try translated { () throws(FileError) in
            try container.groups.set(name, picture: picture, for: threadID)
        }
    }

    /// Sets the preview level, also for contents of `openSpooled`, whose `outcome` has the message itself.
    ///
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setPreview(_ level: PreviewLevel) throws(AppDeviceError) {
        try translated { () throws(FileError) in try container.preview.set(level) }
    }

    /// Limit of muted conversations.
    public static let mutedCountMax = MutedThreads.countMax

    /// Replaces the list of muted conversations. Their messages are shown by `DisplayPolicy`'s row `muted`, but for
    /// critical alerts, by right.
    ///
    /// - Parameter threads: `mutedCountMax` at most, each with a thread id.
    /// - Throws: `.locked`, `.storageFull`, `.system`.
    public func setMuted(_ threads: [MutedThread]) throws(AppDeviceError) {
        precondition(threads.count <= MutedThreads.countMax && threads.allSatisfy { !$0.threadID.isEmpty })
        try translated { () throws(FileError) in try container.muted.set(threads) }
    }
}
