package io.uniserve.benchmark.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of {@code bench ycsb}. */
class YcsbCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--workloads g, '--workloads has \"g\": use a, b, c, d, e or f'",
        "--ports solr, '--ports has \"solr\": use kv, mongodb, duckdb, lucene'",
        "--parts all, --parts",
        "--threads 0, --threads is 0: use 1 to 1024",
        "--threads 9 --operations 5, '--threads is 9: use at most the 5 of --operations'",
        "--records 0, --records is 0: use 1 to 100000000",
        "--operations 0, --operations is 0",
        "--scans 0, --scans is 0",
        "--servers 0, --servers is 0",
        "--actors 0, --actors is 0",
        "--rf 5, --rf is 5: use 1 to 4",
        "--target -1, --target is -1",
        "--warm-up -1, --warm-up is -1",
        "--rounds 0, --rounds is 0",
        "--quota -1, --quota is -1.0: use 0 to 64",
        "--copies-wait -1, --copies-wait is -1.0: use 0 to 3600",
        "--heap big, '--heap is \"big\": use a number and m or g'",
        "--bulk 0, --bulk is 0"
    })
    void wrongOptionsAreNamed(String options, String message) {
        Run run = TestingHarness.run(("bench ycsb " + options).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }
}
