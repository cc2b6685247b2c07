package sealedpush;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One file of Tests/Conformance/Vectors/sealedpush: a head of names and values, an empty line, the input. */
record Vector(String name, Map<String, List<String>> head, byte[] input) {
    static Vector read(Path path) throws IOException {
        var bytes = Files.readAllBytes(path);
        var head = new HashMap<String, List<String>>();
        int start = 0;
        while (true) {
            int end = start;
            while (bytes[end] != '\n') end++;
            var line = new String(bytes, start, end - start, StandardCharsets.UTF_8);
            start = end + 1;
            if (line.isEmpty()) break;
            var colon = line.indexOf(": ");
            head.computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>()).add(line.substring(colon + 2));
        }
        return new Vector(path.getFileName().toString(), head, Arrays.copyOfRange(bytes, start, bytes.length));
    }

    String get(String name) {
        return head.get(name).get(0);
    }

    byte[] bytes(String name) {
        return Base64Url.decode(get(name));
    }

    long number(String name) {
        return Long.parseLong(get(name));
    }

    List<String> lines() {
        return List.of(new String(input, StandardCharsets.UTF_8).split("\n", -1));
    }
}
