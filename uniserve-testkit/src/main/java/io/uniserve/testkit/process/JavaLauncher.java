package io.uniserve.testkit.process;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Java command that runs {@code uniserve} in another process: with this JVM and the distribution's jars.
 *
 * @param main name of the class whose {@code main} is run
 */
public record JavaLauncher(Path java, Path home, String classPath, String main, List<String> flags) {
    public JavaLauncher {
        flags = List.copyOf(flags);
    }

    /** Returns the launcher of this process's JVM and {@code uniserve.home}. */
    public static JavaLauncher ofThisProcess() {
        String home = System.getProperty("uniserve.home");
        if (home == null) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "system property uniserve.home is not set; start through the uniserve script");
        }
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> flags = new ArrayList<>(List.of(
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8"));
        if (Runtime.version().feature() >= 24) {
            flags.add("--enable-native-access=ALL-UNNAMED");
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return new JavaLauncher(
                java, Path.of(home), Path.of(home, "lib", "*").toString(), "io.uniserve.cli.Main", flags);
    }

    /** Returns a launcher for another main class, which is in this directory or jar. */
    public JavaLauncher running(String otherMain, Path where) {
        return new JavaLauncher(java, home, classPath + File.pathSeparator + where, otherMain, flags);
    }

    /** Returns a launcher with one more flag, which overrides earlier ones. */
    public JavaLauncher with(String flag) {
        List<String> more = new ArrayList<>(flags);
        more.add(flag);
        return new JavaLauncher(java, home, classPath, main, more);
    }

    /** Returns the arguments before the subcommand. The process ends with this one. */
    List<String> command(String heap) {
        List<String> words = new ArrayList<>(List.of(java.toString(), heap, ParentProcessWatcher.flag()));
        words.addAll(flags);
        words.addAll(List.of("-Duniserve.home=" + home, "-cp", classPath, main));
        return words;
    }

    /** Returns a whole command that runs {@code uniserve} with these arguments. */
    public List<String> commandLine(String heap, List<String> arguments) {
        List<String> words = command(heap);
        words.addAll(arguments);
        return List.copyOf(words);
    }
}
