import ExtensionHarness

ExtensionHost.run { BrokenExtension(.chosen) }
