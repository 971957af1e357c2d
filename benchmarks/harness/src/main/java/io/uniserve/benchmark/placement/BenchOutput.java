package io.uniserve.benchmark.placement;

import io.uniserve.cli.command.OutputFileWriter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Numbers and files of the placement benchmarks. */
final class BenchOutput {
    private BenchOutput() {}

    static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    static void save(Path directory, String name, String text) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "--svg: cannot create " + directory, e);
        }
        OutputFileWriter.write(directory.resolve(name), text);
    }
}
