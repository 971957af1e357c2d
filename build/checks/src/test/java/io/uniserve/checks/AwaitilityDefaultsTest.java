package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of all modules use the wait time of {@code build/test-support}. */
class AwaitilityDefaultsTest {
    private static final Duration OF_AWAITILITY = Duration.ofSeconds(10);

    @Test
    void junitFindsItInAnotherModule() {
        AtomicLong leftMillis = new AtomicLong();
        await().conditionEvaluationListener(condition -> leftMillis.set(condition.getRemainingTimeInMS()))
                .until(() -> true);
        assertThat(leftMillis.get()).isGreaterThan(OF_AWAITILITY.toMillis());
    }

    @Test
    void everyModuleThatWaitsHasIt() throws IOException {
        for (String module : ProjectTree.MODULES) {
            Path pom = ProjectTree.root().resolve(module).resolve("pom.xml");
            String text = Files.readString(pom);
            if (text.contains("<artifactId>awaitility</artifactId>")) {
                assertThat(text).as(ProjectTree.name(pom)).contains("<artifactId>uniserve-test-support</artifactId>");
            }
        }
    }
}
