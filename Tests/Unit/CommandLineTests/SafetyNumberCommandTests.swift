import Testing

extension CommandLineTests {
    struct SafetyNumberCommandTests {
        /// The public keys of RFC 8032 section 7.1, tests 1 and 2; number and code by Python (KeysTests,
        /// `SafetyExample`).
        private static let sender = "sealedpush-sender-1:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\n"
        private static let device = "sealedpush-identity-1:PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw\n"
        private static let number = "04921 15442 21251 64284 08482 85057 66434 16365 12689 27263 40055 70171\n"
        private static let code =
            "U1BTMT1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\n"

        @Test(arguments: [["sender.pub", "identity.pub"], ["identity.pub", "sender.pub"]])
        func `two public keys give twelve groups, in either order (protocol v1, rule 14)`(_ files: [String])
            async throws
        {
            let folder = try Self.folder()
            let run = try await Invocation(["safety-number"] + files, in: folder).run()
            #expect(run.isDone && run.output == Self.number, "\(run)")
            let code = try await Invocation(["safety-number", "--qr"] + files, in: folder).run()
            #expect(code.isDone && code.output == Self.code, "\(code)")
        }

        @Test func `two keys of one role have a number too`() async throws {
            let folder = try Self.folder()
            let run = try await Run.sealedpush("safety-number", "sender.pub", "sender.pub", in: folder)
            let half = Self.number.prefix(35)
            #expect(run.isDone && run.output == "\(half) \(half)\n", "\(run)")
            #expect(try await Run.sealedpush("safety-number", "identity.pub", "identity.pub", in: folder).isDone)
        }

        @Test(arguments: [
            "", "hello", "sealedpush-sender-1:AAAA", "sealedpush-identity-1:", "sealedpush-sender-key-2\n",
        ])
        func `what is no public key is refused and named`(_ text: String) async throws {
            let folder = try Self.folder()
            try folder.write("bad.pub", text)
            for files in [["bad.pub", "sender.pub"], ["sender.pub", "bad.pub"]] {
                let run = try await Invocation(["safety-number"] + files, in: folder).run()
                #expect(run.isRefused("bad.pub is not a line", "check the path"), "\(run)")
            }
        }

        @Test func `a private key is refused, and not printed`() async throws {
            let folder = try Self.folder()
            let run = try await Run.sealedpush(
                "safety-number",
                "sender.pub",
                Program.keys + "/sender.key",
                in: folder
            )
            #expect(run.isRefused("sender.key is a private key"), "\(run)")
        }

        private static func folder() throws -> Folder {
            let folder = try Folder()
            try folder.write("sender.pub", sender)
            try folder.write("identity.pub", device)
            return folder
        }
    }
}
