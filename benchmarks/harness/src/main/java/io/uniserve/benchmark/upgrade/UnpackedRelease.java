package io.uniserve.benchmark.upgrade;

import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Unpacked release, or the folder {@code target/dist} of a build. Its own launcher starts its processes.
 *
 * @param label name of the distribution in output, e.g. {@code old}
 */
record UnpackedRelease(String label, Path home) {
    UnpackedRelease {
        if (!Files.isExecutable(home.resolve("uniserve")) || !Files.isDirectory(home.resolve("lib"))) {
            throw UniserveException.invalid(
                    "--" + label + " is " + home + ": no distribution, because uniserve or lib is missing there");
        }
        home = home.toAbsolutePath();
    }

    /** Returns the command that runs {@code uniserve} with these JVM options and arguments. */
    List<String> command(String options, List<String> arguments) {
        List<String> words = new ArrayList<>(List.of(
                "env",
                "-u",
                "UNISERVE_HOME",
                "UNISERVE_JAVA_OPTS=" + options,
                home.resolve("uniserve").toString()));
        words.addAll(arguments);
        return words;
    }

    /** Returns the jars of {@code lib} whose name does not start with this, joined as a class path. */
    String classPathWithout(String prefix) {
        try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
            return String.join(
                    ":",
                    jars.filter(jar -> !jar.getFileName().toString().startsWith(prefix))
                            .map(Path::toString)
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + home.resolve("lib"), e);
        }
    }
}
