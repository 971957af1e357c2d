package io.uniserve.port.druid.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Druid's own tests against a cluster of four servers and eight actors per table. The default is a tenth of them, drawn by a fixed seed.
 *
 * <p>System properties: {@code uniserve.druid.suite.share}, 10 for a tenth, 1 for all; {@code uniserve.druid.suite.only}, a name of Druid's
 * class; {@code uniserve.druid.suite.stops}, seconds between stops of a server; {@code uniserve.druid.suite.report}, a file for the
 * scoreboard.
 */
class DruidSuiteTest {
    private static final long SEED = 37;
    private static final int SHARE = Integer.getInteger("uniserve.druid.suite.share", 10);
    private static final long STOP_SECONDS = Long.getLong("uniserve.druid.suite.stops", 0);

    @Test
    void druidsTestsPassOrAreRefusedByName() throws Exception {
        String only = System.getProperty("uniserve.druid.suite.only", "");
        List<Class<?>> suites = SuiteRun.SUITES.entrySet().stream()
                .filter(entry -> only.isEmpty() || entry.getKey().equals(only))
                .<Class<?>>map(java.util.Map.Entry::getValue)
                .toList();
        TreeSet<SuiteOutcome> outcomes = run(suites);
        String report = SuiteReport.of(outcomes);
        Optional.ofNullable(System.getProperty("uniserve.druid.suite.report"))
                .filter(file -> !file.isEmpty())
                .ifPresent(file -> write(Path.of(file), report));
        assertThat(outcomes).as("tests that ran").hasSizeGreaterThan(50 / SHARE);
        assertThat(outcomes.stream().filter(one -> one.kind() == SuiteOutcome.Kind.WRONG))
                .as("wrong outcomes")
                .isEmpty();
        long refused = outcomes.stream()
                .filter(one -> one.kind() == SuiteOutcome.Kind.REFUSED)
                .count();
        assertThat(refused).as("refused of " + outcomes.size()).isLessThanOrEqualTo(outcomes.size() / 10);
    }

    private static TreeSet<SuiteOutcome> run(List<Class<?>> suites) throws InterruptedException {
        if (STOP_SECONDS == 0) {
            return SuiteRun.run(suites, SHARE, SEED);
        }
        try (ServerStops stops = new ServerStops(SuiteCluster.get().servers(), STOP_SECONDS, SEED)) {
            TreeSet<SuiteOutcome> outcomes = SuiteRun.run(suites, SHARE, SEED);
            assertThat(stops.stops()).as("stops of servers").isPositive();
            return outcomes;
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
