import Envelope
import Foundation
import TestCertificates
import Testing

extension CommandLineTests {
    /// A stranger in an empty folder.
    struct OwnSimulatorTests {
        @Test func `without keys it makes its own, and a push to its device is taken`() async throws {
            let simulator = try await OwnSimulator()
            let sent = try await simulator.push()
            #expect(sent.isDone, "\(sent)")
            #expect(try await simulator.stop().end == .exit(0))
        }

        @Test func `its folder is its owner's, and so is every secret in it`() async throws {
            let simulator = try await OwnSimulator()
            #expect(try simulator.folder.mode("sealedpush-simulator") == 0o700)
            let names = try Folder.names(simulator.folder.file("sealedpush-simulator"))
            let all = [
                "ca.key", "ca.pem", "control.bearer", "control.conf", "device-ca.key", "device-ca.pem", "device.token",
                "provider.p8", "push.conf",
            ]
            #expect(names == all)
            for name in names where !name.hasSuffix("ca.pem") {
                #expect(try simulator.folder.mode(simulator.own(name)) == 0o600)
            }
        }

        @Test func `its keys are there again at the next start`() async throws {
            let first = try await OwnSimulator()
            let keys = try ["ca.key", "ca.pem", "provider.p8"].map { try first.folder.bytes(first.own($0)) }
            let secret = first.bearer
            _ = try await first.stop()
            let second = try await OwnSimulator(in: first.folder)
            #expect(try ["ca.key", "ca.pem", "provider.p8"].map { try first.folder.bytes(first.own($0)) } == keys)
            #expect(second.bearer != secret)
            #expect(try await second.push().isDone)
        }

        @Test(.enabled(if: Folder.isExecutable("/usr/bin/curl")))
        func `curl pushes and looks with the files of the folder`() async throws {
            let simulator = try await OwnSimulator()
            let push = try await Invocation.shell(
                #"curl -s -w '%{http_code} %{http_version}' -K sealedpush-simulator/push.conf -d '{"aps":{}}'"#,
                in: simulator.folder
            ).run()
            #expect(push.isDone && push.output == "200 2", "\(push)")
            let look = try await Invocation.shell(
                "curl -s -K sealedpush-simulator/control.conf \(simulator.url)/v1/log",
                in: simulator.folder
            ).run()
            #expect(look.isDone && look.output.contains(#""event":"accepted""#), "\(look)")
        }

        @Test func `ports that are asked for are open and named`() async throws {
            let folder = try Folder()
            _ = try folder.write("ca.pem", bytes: TestAuthority().certificatePEM)
            let ports = ["--channel-port", "--gateway-port", "--feedback-port"].flatMap { [$0, "0"] }
            let process = try Invocation(
                ["simulate", "--json", "--port", "0", "--device-port", "0", "--client-ca", "ca.pem"] + ports,
                in: folder
            ).start()
            let ready = try await process.event("ready")
            let named = ["push-port", "device-port", "channel-port", "gateway-port", "feedback-port"].map {
                ready[$0]?.content
            }
            for port in named {
                guard case .integer(let number)? = port else { throw Unexpected("no port: \(ready)") }
                #expect((1...65_535).contains(number))
            }
            process.stop()
            #expect(try await process.end().end == .exit(0))
        }

        @Test func `for people, the first lines name the ports, the secret, the seed and how to push`() async throws {
            let folder = try Folder()
            let process = try Invocation(["simulate", "--port", "0", "--device-port", "0", "--seed", "77"], in: folder)
                .start()
            var lines: [String] = []
            for _ in 0..<6 { lines.append(try await process.line()) }
            process.stop()
            #expect(try await process.end().end == .exit(0))
            #expect(
                lines[0].contains("ready: pushes on 127.0.0.1:") && lines[0].contains("control on http://127.0.0.1:")
            )
            #expect(lines[1].hasPrefix("the control API's bearer is ") && lines[2] == "seed 77")
            #expect(lines[3].contains("key id SIMULATED1, team id SIMULATEAM"))
            #expect(lines[4].hasPrefix("push: curl ") && lines[5].hasPrefix("look: curl "))
            // The beginning of a JWT; the random bearer may hold any three letters.
            #expect(!lines.indices.contains { $0 != 1 && lines[$0].contains("eyJ") })
        }

        @Test func `a folder that others can enter is refused, and nothing is written into it`() async throws {
            let folder = try Folder()
            _ = try folder.makeFolder("open")
            guard unsafe chmod(folder.file("open"), 0o755) == 0 else { throw Unexpected("chmod") }
            let run = try await Run.sealedpush("simulate", "--port", "0", "--folder", "open", in: folder)
            #expect(run.isRefused("open will hold private keys", "chmod 700"), "\(run)")
            #expect(try Folder.names(folder.file("open")) == [])
        }

        @Test(arguments: ["ca.key", "ca.pem", "provider.p8"])
        func `a key that was damaged is named, and nothing is written over`(_ name: String) async throws {
            let first = try await OwnSimulator()
            _ = try await first.stop()
            try first.folder.write(first.own(name), "hello")
            let run = try await Run.sealedpush("simulate", "--port", "0", "--device-port", "0", in: first.folder)
            #expect(run.isRefused("move the folder away"), "\(run)")
            #expect(try first.folder.text(first.own(name)) == "hello")
        }

        @Test func `a key that others can read is refused`() async throws {
            let first = try await OwnSimulator()
            _ = try await first.stop()
            guard unsafe chmod(first.folder.file(first.own("ca.key")), 0o644) == 0 else { throw Unexpected("chmod") }
            let run = try await Run.sealedpush("simulate", "--port", "0", "--device-port", "0", in: first.folder)
            #expect(run.end == .exit(1) && run.error.contains("ca.key"), "\(run)")
        }

        @Test func `the table of settings has every name with its value`() async throws {
            let run = try await Run.sealedpush("simulate", "--settings", in: try Folder())
            #expect(run.isDone && run.output.contains("\nstreams=1000\n"), "\(run)")
        }

        @Test func `a setting and an environment are told to the simulator`() async throws {
            let simulator = try await OwnSimulator("--set", "streams=7", "--environment", "production")
            let state = try await simulator.control("GET /v1/state").json
            #expect(state["settings"]?["streams"]?.string == "7" && state["environment"]?.string == "production")
        }

        @Test func `a call to stop ends it in order`() async throws {
            let simulator = try await OwnSimulator()
            #expect(try await simulator.control("POST /v1/stop").status == 202)
            let run = try await simulator.process.end()
            #expect(run.end == .exit(0) && run.error.isEmpty, "\(run)")
        }

        @Test func `with keys of somebody else's there is no control API unless it is asked for`() async throws {
            let place = try await Workplace()
            for options in [[], ["--control-port", "0"]] {
                let process = try place.invocation(["simulate"] + Site.simulator + Workplace.allow + options).start()
                let ready = try await process.event("ready")
                #expect((ready["control-port"] != nil) == !options.isEmpty)
                process.stop()
                #expect(try await process.end().end == .exit(0))
            }
        }
    }
}
