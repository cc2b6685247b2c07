import Sealing

#if canImport(CryptoKit) && canImport(Intents)
@main
enum App {
    static func main() { print(SenderIdentity().publicKey.text.isEmpty ? "no key" : "a key") }
}
#else
#error("the stubs are not found")
#endif
