import BlobStoreProbe
import TestSupport

enum Probe {
    static func start(_ arguments: String...) throws -> LineProcess {
        try LineProcess(LineProcess.path(of: "BlobStoreProbe"), arguments)
    }
}
