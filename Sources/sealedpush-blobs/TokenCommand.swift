import BlobStore
import CommandLineTool
import Glibc
import Keys
import Primitives

/// Makes a tenant's token: into an owner-only file, its hash to standard output.
struct TokenCommand: Command {
    static let name = "token"
    static let summary = "lets a tenant upload: makes its token, and its line for the host's list"
    static let operands = ""
    static let options = [
        Option("--name", "NAME", "the tenant, without spaces", isRequired: true),
        Option("--out", "FILE", "the file to write the token to, which is shown nowhere else", isRequired: true),
        Option("--bytes", "COUNT", "the bytes that the tenant may store; 10 GiB without it"),
        Option("--uploads", "COUNT", "the uploads that may run at once; 16 without it"),
    ]
    static let example = """
        Example:
          sealedpush-blobs token --name acme --out acme.token >> tenants.txt
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        self.arguments = arguments
    }

    func run() throws(CommandError) {
        let name = try arguments.required("--name")
        guard name.utf8.count <= 64, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !name.hasPrefix("#") else {
            throw arguments.wrong("--name has up to 64 visible ASCII characters and no '#' in front")
        }
        let path = try arguments.required("--out")
        let byteCountMax = try arguments.number("--bytes", 1...(.max)) ?? 10 << 30
        let uploadCountMax = try arguments.number("--uploads", 1...100_000) ?? 16
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { throw .file(.exists(path: path)) }
        var random = SystemRandom()
        let (token, hash) = TenantList.makeToken(random: &random)
        do {
            try WholeFile.write(Array((token + "\n").utf8), to: path, access: .ownerOnly)
        } catch {
            throw .file(error)
        }
        try Output.print("\(name) \(hash) \(byteCountMax) \(uploadCountMax)")
    }
}
