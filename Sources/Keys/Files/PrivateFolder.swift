package import Platform

/// Owner-only folder whose files are listed without opening them.
package enum PrivateFolder {
    /// Makes the folder durably with mode 0700, unless it exists.
    ///
    /// - Parameter protection: of a new folder and of files in it without a class of their own; nil off devices.
    package static func make(_ path: String, protection: FileProtection?) throws(FileError) {
        if let code = DeviceRules.refusal(of: .create(protection), at: path), unsafe access(path, F_OK) != 0 {
            throw .system(call: "mkdir", path: path, code: code)
        }
        guard unsafe mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw .system(call: "mkdir", path: path, code: errno) }
            return
        }
        if let code = protection?.set(at: path) { throw .system(call: "fcntl", path: path, code: code) }
        try WholeFile.syncDirectory(of: path)
    }

    /// - Parameters:
    ///   - path: a missing folder counts as empty.
    ///   - countMax: limit beyond a reader's needs; further entries are ignored.
    /// - Returns: regular files only, sorted by name.
    package static func names(_ path: String, countMax: Int) throws(FileError) -> [String] {
        if let code = DeviceRules.refusal(of: .read, at: path) {
            throw .system(call: "opendir", path: path, code: code)
        }
        guard let folder = unsafe opendir(path) else {
            guard errno == ENOENT else { throw .system(call: "opendir", path: path, code: errno) }
            return []
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while names.count < countMax {
            errno = 0
            guard let item = unsafe readdir(folder) else {
                guard errno == 0 else { throw .system(call: "readdir", path: path, code: errno) }
                break
            }
            let name = unsafe withUnsafePointer(to: &item.pointee.d_name) { start -> String? in
                let name = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
                var status = stat()
                // Skips a file that another process just removed.
                guard unsafe fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                    status.st_mode & S_IFMT == S_IFREG
                else { return nil }
                return unsafe String(cString: name)
            }
            if let name { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file durably: power loss must not bring a destroyed key back. A missing file is no error.
    package static func remove(_ path: String) throws(FileError) {
        if let code = DeviceRules.refusal(of: .remove, at: path) {
            throw .system(call: "unlink", path: path, code: code)
        }
        guard unsafe unlink(path) == 0 else {
            guard errno == ENOENT else { throw .system(call: "unlink", path: path, code: errno) }
            return
        }
        try WholeFile.syncDirectory(of: path)
    }
}
