package io.uniserve.testkit.seed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

class SeededTestTest {
    @Test
    void runsEachSeedOnceAndTheSameSeedsEveryTime() {
        SeedSample.SEEN.clear();
        run("");
        List<Long> first = List.copyOf(SeedSample.SEEN);
        SeedSample.SEEN.clear();
        run("");
        assertThat(first).hasSize(4).doesNotHaveDuplicates().isEqualTo(SeedSample.SEEN);
    }

    @Test
    void theCommandLineChoosesOneSeed() {
        SeedSample.SEEN.clear();
        run("42");
        assertThat(SeedSample.SEEN).containsExactly(42L);
    }

    @Test
    void aFailureSaysHowToReplayIt() {
        List<Throwable> failures = run("7").testEvents().failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                .map(result -> result.getThrowable().orElseThrow())
                .toList();
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).getSuppressed()[0].getMessage())
                .startsWith("seed 7; replay: ./mvnw")
                .contains("-Dtest=SeedSample#failing", "-Duniserve.seed=7");
    }

    @Test
    void aSeedThatIsNoNumberIsRefused() {
        assertThat(run("soon").allEvents().failed().count()).isPositive();
    }

    private static EngineExecutionResults run(String seed) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(SeedSample.class))
                .configurationParameter("uniserve.seed", seed)
                .execute();
    }
}
