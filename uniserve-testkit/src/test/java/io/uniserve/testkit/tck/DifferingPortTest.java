package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Servers do not compare replicas' contents at each update, so a port that is not deterministic must fail in the test kit. */
class DifferingPortTest {
    @Test
    void aPrepareThatIsNotDeterministicIsFound() {
        List<String> failed = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(DifferingPort.class))
                .execute()
                .testEvents()
                .failed()
                .map(event -> event.getTestDescriptor().getLegacyReportingName())
                .toList();
        assertThat(failed)
                .contains("whatIsCommittedIsAsIfItWereApplied()", "partsOfAVersionAreCommittedInTheirOrder()")
                .doesNotContain("equalUpdatesGiveEqualDigests()");
    }
}
