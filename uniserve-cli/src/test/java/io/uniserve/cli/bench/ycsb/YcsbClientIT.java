package io.uniserve.cli.bench.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The YCSB client as a process, with the class path and the properties of the manual, against a cluster of processes: it loads and runs a
 * mixture of all operations on each port, and compares every value that it reads.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class YcsbClientIT {
    private static final int RECORDS = 200;
    private static final int OPERATIONS = 300;

    private Path directory;
    private ProcessCluster cluster;

    @BeforeAll
    void start(@TempDir Path root) {
        directory = root;
        cluster = new ProcessCluster(
                ProcessClusterOptions.of(root, 2, "kv,mongodb,duckdb,lucene").withFastStart());
        cluster.start();
    }

    @AfterAll
    void close() {
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource({"kv, 0.2", "mongodb, 0.2", "duckdb, 0.2", "lucene, 0"})
    void everyOperationIsRightOnEveryPort(String engine, String scans) throws IOException, InterruptedException {
        List<String> table = List.of("table=" + engine, "uniserve.engine=" + engine);
        List<String> load = ycsb("load", table, List.of("uniserve.batch=50"));
        assertThat(load).contains("[INSERT], Operations, " + RECORDS);
        assertRight(load);
        List<String> run = ycsb(
                "t",
                table,
                List.of(
                        "scanproportion=" + scans,
                        "readproportion=0.3",
                        "updateproportion=0.2",
                        "insertproportion=0.1",
                        "readmodifywriteproportion=0.2",
                        "target=2000",
                        "uniserve.warm-up=20"));
        assertRight(run);
        assertThat(run)
                .anyMatch(line -> line.startsWith("[VERIFY], Return=OK, "))
                .anyMatch(line -> line.startsWith("[Intended-READ], 99thPercentileLatency(us), "))
                .anyMatch(line -> line.startsWith("[UNISERVE-CPU], Milliseconds, "));
        assertThat(run.stream().anyMatch(line -> line.startsWith("[SCAN], Return=OK")))
                .isEqualTo(!scans.equals("0"));
    }

    private static void assertRight(List<String> output) {
        assertThat(output).anyMatch(line -> line.startsWith("[OVERALL], RunTime(ms), "));
        assertThat(output.stream()
                        .filter(line -> line.contains("], Return="))
                        .filter(line -> !line.contains("Return=OK") && !line.contains("Return=BATCHED_OK")))
                .as(String.join("\n", output))
                .isEmpty();
    }

    @Test
    void aMissingAddressIsNamed() throws IOException, InterruptedException {
        List<String> output = ycsb("t", List.of("table=kv", "uniserve.bootstrap="), List.of());
        assertThat(output)
                .anyMatch(
                        line -> line.contains("property uniserve.bootstrap is missing: give the address of a server"));
    }

    @Test
    void aTableOfAnotherPortIsNamed() throws IOException, InterruptedException {
        List<String> output = ycsb("t", List.of("table=none", "uniserve.engine=redis"), List.of());
        assertThat(output).anyMatch(line -> line.contains("property uniserve.engine is redis: use one of kv"));
    }

    /** Runs the client and returns the lines of both of its streams. */
    private List<String> ycsb(String phase, List<String> table, List<String> more)
            throws IOException, InterruptedException {
        JavaLauncher java = JavaLauncher.ofThisProcess();
        List<String> command = new ArrayList<>(List.of(java.java().toString(), "-Xmx256m"));
        command.addAll(java.flags());
        command.addAll(List.of(
                "-cp",
                classPath(java.home()),
                "site.ycsb.Client",
                "-" + phase,
                "-db",
                "io.uniserve.benchmark.ycsb.binding.UniserveYcsbClient",
                "-threads",
                "4"));
        List<String> properties = new ArrayList<>(List.of(
                "workload=site.ycsb.workloads.CoreWorkload",
                "uniserve.bootstrap=" + String.join(",", cluster.bootstrap()),
                "uniserve.actors=3",
                "uniserve.check-scans=true",
                "recordcount=" + RECORDS,
                "operationcount=" + OPERATIONS,
                "dataintegrity=true",
                "maxscanlength=20",
                "measurementtype=hdrhistogram",
                "measurement.interval=both"));
        properties.addAll(table);
        properties.addAll(more);
        properties.forEach(property -> command.addAll(List.of("-p", property)));
        Path out = Files.createTempFile(directory, "ycsb", ".out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        int unused = process.waitFor();
        return Files.readAllLines(out);
    }

    /** The class path of docs/manual/ycsb.md: the client's one jar, slf4j-api, and the folder of the binding. */
    private static String classPath(Path home) throws IOException {
        Path client = home.resolve("../../../uniserve-client/target").normalize();
        try (Stream<Path> all = Stream.concat(Files.list(client), Files.list(home.resolve("lib")))) {
            return home.resolve("peers").resolve("ycsb").resolve("lib").resolve("*")
                    + File.pathSeparator
                    + all.filter(jar ->
                                    jar.getFileName().toString().matches("uniserve-client-.*-all\\.jar|slf4j-api-.*"))
                            .map(Path::toString)
                            .collect(Collectors.joining(File.pathSeparator));
        }
    }
}
