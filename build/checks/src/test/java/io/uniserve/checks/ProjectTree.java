package io.uniserve.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Location of the project's modules and sources. */
final class ProjectTree {
    static final List<String> MODULES = List.of(
            "build/test-support",
            "uniserve-core",
            "uniserve-protocol",
            "uniserve-placement",
            "uniserve-placement-milp",
            "uniserve-runtime",
            "uniserve-aws",
            "uniserve-security",
            "uniserve-coordinator",
            "uniserve-server",
            "uniserve-client",
            "uniserve-testkit",
            "uniserve-simulator",
            "ports/shared/lucene",
            "ports/shared/sql",
            "uniserve-cli-api",
            "uniserve-cli",
            "ports/kv",
            "ports/lucene",
            "ports/solr",
            "ports/duckdb",
            "ports/monetdb",
            "ports/druid",
            "ports/mongodb",
            "benchmarks/peer-api",
            "benchmarks/harness",
            "benchmarks/solrcloud",
            "benchmarks/ycsb",
            "build/checks");

    private ProjectTree() {}

    /** The root of the source tree. The build passes it; an IDE runs in the module's folder. */
    static Path root() {
        String root = System.getProperty("uniserve.root", "");
        return root.isEmpty() ? Path.of("../..").toAbsolutePath().normalize() : Path.of(root);
    }

    /** The folder of a module's compiled main classes. */
    static Path classes(String module) {
        return root().resolve(module).resolve("target/classes");
    }

    /** All Java sources of all modules and of the release, tests included, generated ones not. */
    static List<Path> sources() {
        return Stream.concat(MODULES.stream(), Stream.of("build/release"))
                .flatMap(m -> javaFiles(root().resolve(m).resolve("src")))
                .toList();
    }

    /** Generated Java sources of the runtime, as paths below their source root, with forward slashes. */
    static List<String> generatedSources() {
        Path folder = root().resolve("uniserve-runtime/target/generated-sources/protobuf");
        return Stream.of("java", "grpc-java")
                .map(folder::resolve)
                .flatMap(root ->
                        javaFiles(root).map(f -> root.relativize(f).toString().replace('\\', '/')))
                .toList();
    }

    /** The path of a file below the root, with forward slashes. */
    static String name(Path file) {
        return root().relativize(file).toString().replace('\\', '/');
    }

    private static Stream<Path> javaFiles(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Stream.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(f -> f.toString().endsWith(".java")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
    }
}
