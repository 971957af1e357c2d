package io.uniserve.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runner of TLC, the model checker, in a separate process. */
final class Tlc {
    private static final Pattern BROKEN = Pattern.compile("Invariant (\\w+) is violated");
    private static final Pattern STATE = Pattern.compile("(?m)^State \\d+:");
    private static final Pattern DISTINCT = Pattern.compile("([\\d,]+) distinct states found, 0 states left");
    private static final String HEAP = "-Xmx2g";

    private final Path jar;

    Tlc(Path jar) {
        this.jar = jar;
    }

    /**
     * Result of TLC.
     *
     * @param broken the broken invariant, empty for none
     * @param steps states of the counterexample
     * @param distinct states of the whole model, 0 if the search ended at a counterexample
     * @param output the complete output of TLC
     */
    record Result(String broken, int steps, long distinct, String output) {}

    Result check(ModelInstance instance, Path directory) throws IOException, InterruptedException {
        String name = instance.module() + ".tla";
        Files.copy(specs().resolve(name), directory.resolve(name));
        Files.writeString(directory.resolve("model.cfg"), config(instance));
        Path log = directory.resolve("tlc.log");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, HEAP, "-XX:+UseParallelGC", "-cp", jar.toString()));
        // TLC unpacks its standard modules there.
        command.add("-Djava.io.tmpdir=" + directory);
        command.addAll(List.of("tlc2.TLC", "-deadlock", "-workers", "1"));
        command.addAll(List.of("-metadir", directory.resolve("states").toString(), "-config", "model.cfg"));
        command.add(instance.module());
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        return result(Files.readString(log));
    }

    private static Result result(String output) {
        Matcher broken = BROKEN.matcher(output);
        Matcher distinct = DISTINCT.matcher(output);
        return new Result(
                broken.find() ? broken.group(1) : "",
                (int) STATE.matcher(output).results().count(),
                distinct.find() ? Long.parseLong(distinct.group(1).replace(",", "")) : 0,
                output);
    }

    private static String config(ModelInstance instance) {
        List<String> lines = new ArrayList<>(List.of("SPECIFICATION Spec", "SYMMETRY Sym"));
        lines.add("INVARIANTS " + String.join(" ", instance.invariants()));
        lines.add("CONSTANTS");
        lines.addAll(instance.constants());
        return String.join("\n", lines) + "\n";
    }

    private static Path specs() {
        return Path.of(System.getProperty("uniserve.root"), "docs", "spec");
    }
}
