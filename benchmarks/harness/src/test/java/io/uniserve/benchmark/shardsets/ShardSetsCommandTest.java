package io.uniserve.benchmark.shardsets;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of {@code bench shardsets}. */
class ShardSetsCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--workloads scans, '--workloads has \"scans\": use ranges, scattered, mixed, drift'",
        "--policies best, '--policies has \"best\": use greedy, parallelism, milp, estore, getafix, static'",
        "--servers 1, --servers is 1: use 2 to 16",
        "--actors 4, --actors is 4: use 8 to 1024",
        "--actors 50, '--actors is 50: use a multiple of --servers, which is 6'",
        "--rows 100, --rows is 100: use 480 to 10000000",
        "--sets 1, --sets is 1: use 2 to 200",
        "--clients 0, --clients is 0: use 1 to 1024",
        "--copies-max 17, --copies-max is 17: use 0 to 16",
        "--load 1.5, --load is 1.5: use 0.05 to 0.95",
        "--load NaN, --load is NaN: use 0.05 to 0.95",
        "--quota -1, '--quota is -1.0: use 0.01 to 64, or 0 for no limit'",
        "--heap big, '--heap is \"big\": use a number and m or g, e.g. 512m'",
        "--seconds 0, --seconds is 0.0: use 0.1 to 3600.0 seconds",
        "--warm-up -1, --warm-up is -1.0: use 0.0 to 3600.0 seconds",
        "--calibration 0, --calibration is 0.0: use 0.1 to 3600.0 seconds",
        "--period 0, --period is 0.0: use 0.5 to 3600.0 seconds",
        "--adapt 20, --adapt is 20.0: use 24.0 to 3600.0 seconds",
        "--workloads ranges --adapt 10, --adapt is 10.0: use 12.0 to 3600.0 seconds",
        "--plot /nowhere/p99.svg, '--plot is /nowhere/p99.svg: use a file in an existing directory'"
    })
    void wrongOptionsAreNamed(String options, String message) {
        Run run = TestingHarness.run(("bench shardsets " + options).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }
}
