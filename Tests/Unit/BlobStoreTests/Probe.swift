import BlobStoreProbe
import TestSupport

/// Another process with a folder of blobs.
enum Probe {
    static func start(_ arguments: String...) throws -> LineProcess {
        try LineProcess(LineProcess.path(of: "BlobStoreProbe"), arguments)
    }
}
