package sealedpush;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Program that runs beside the test, and prints one JSON object a line. */
final class Program implements AutoCloseable {
    /** Late is wrong only when it is very late: the machine may be busy. */
    private static final long PATIENCE_SECONDS = 300;
    private final String name;
    private final Process process;
    private final List<Map<?, ?>> events = new ArrayList<>();
    private boolean ended;

    Program(Path folder, List<String> command) throws IOException {
        name = String.join(" ", command.subList(0, Math.min(2, command.size())));
        process = builder(folder, command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var reader = new Thread(() -> read(process.inputReader(StandardCharsets.UTF_8)));
        reader.setDaemon(true);
        reader.start();
    }

    /** What a program printed that ended with 0; another end is an error with what it said. */
    static String run(Path folder, String... command) throws Exception {
        var done = builder(folder, List.of(command)).redirectErrorStream(true).start();
        done.getOutputStream().close();
        var output = new String(done.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (done.waitFor() != 0) throw new AssertionError(command[0] + " " + command[1] + ": " + output);
        return output;
    }

    /** The relay takes every variable that begins with SEALEDPUSH_ for a setting. */
    private static ProcessBuilder builder(Path folder, List<String> command) {
        var builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("SEALEDPUSH"));
        return builder;
    }

    private void read(BufferedReader lines) {
        try {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    if (Json.parse(line.getBytes(StandardCharsets.UTF_8)) instanceof Map<?, ?> event) add(event);
                } catch (Json.Refused notAnEvent) {
                    System.out.println(line);
                }
            }
        } catch (IOException closed) {
            // It was ended.
        }
        synchronized (events) {
            ended = true;
            events.notifyAll();
        }
    }

    private void add(Map<?, ?> event) {
        synchronized (events) {
            events.add(event);
            events.notifyAll();
        }
    }

    /** The first event, from the first one on, that is so. */
    Map<?, ?> await(String what, Predicate<Map<?, ?>> wanted) throws InterruptedException {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        synchronized (events) {
            while (true) {
                var found = events.stream().filter(wanted).findFirst();
                if (found.isPresent()) return found.get();
                var rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (ended || rest <= 0) throw new AssertionError(name + ": no " + what + " in " + events);
                events.wait(rest);
            }
        }
    }

    Map<?, ?> awaitNamed(String event) throws InterruptedException {
        return await(event, one -> event.equals(one.get("event")));
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
        }
    }
}
