package import Keys
import Platform

extension FileError {
    /// Does not repeat the field's value.
    package var advice: String {
        guard !isAboutFolder else { return "it is a folder; give the path of a file" }
        return switch self {
        case .notFound: "there is no such file; check the path"
        case .system(_, _, EACCES), .system(_, _, EPERM):
            "this user may not read it, or not enter a folder above it; give it to the service's user: chown"
        case .system(let call, _, let code): "\(Self.systemText(code)) (\(call))"
        case .notARegularFile: "not a regular file"
        case .tooLarge(_, let byteCountMax): "larger than \(byteCountMax) bytes; is it the right file?"
        case .empty: "the file is empty"
        case .exists: "the file exists already"
        case .permissionsTooLoose(_, let mode):
            "others may read the file (mode 0\(String(mode, radix: 8))); make it private: chmod 600"
        case .exampleKey: "a published example key; make your own"
        case .publicKey: "a public key; give the private one"
        case .privateKey: "a private key; give the public one"
        case .malformed(_, let expected): "not \(expected)"
        }
    }

    package var isAboutFolder: Bool {
        switch self {
        case .system(_, _, EISDIR): return true
        case .notARegularFile(let path), .exists(let path), .system(_, let path, EEXIST):
            var status = stat()
            return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        default: return false
        }
    }

    static func systemText(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
