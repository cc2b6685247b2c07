import CryptoKit
import Intents
import Sealing

@main
enum App {
    static func main() {
        print(StubOfCryptoKit.self, StubOfIntents.self, SenderIdentity().publicKey.text.isEmpty ? "no key" : "a key")
    }
}
