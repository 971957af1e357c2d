package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Each faulty port fails the test case for its fault, and passes a case for another fault. */
class PlantedPortsTest {
    @AfterEach
    void close() throws IOException {
        for (FileChannel open : PlantedPorts.OpenFile.OPEN) {
            open.close();
        }
        PlantedPorts.OpenFile.OPEN.clear();
    }

    @ParameterizedTest
    @CsvSource({
        "FirstValueAlone, plannersAnswerAsOneActorWithAllRows, plannersEndWithTheirQuery",
        "SecondRoundOfOneActor, plannersAnswerAsOneActorWithAllRows, plannersAnswerOfNoRows",
        "SwallowingPlanner, plannersEndWithTheirQuery, plannersAnswerAsOneActorWithAllRows",
        "SwallowingPlanner, plannersRefuseWhatIsNoQuery, plannersAnswerTheSameAgain",
        "UncountedRows, answersCountTheirRows, plannersAnswerTheSameAgain",
        "OtherWhole, aWholeQueryIsAnsweredAsThePlannerAnswersIt, plannersAnswerAsOneActorWithAllRows",
        "TiesAsTheyCome, mergersBreakTiesAndOrderTextsAsOneActorDoes, mergeIsAssociativeAndCommutative",
        "OrderOfUtf16, mergersBreakTiesAndOrderTextsAsOneActorDoes, mergedPartsEqualTheWhole",
        "NoBounds, parametersBeyondBoundsAreRefusedOrAnswered, garbageIsNoParameter",
        "FileReading, hostileInputsAreRefusedAndReachNothing, hostileTextsInRowsAreOnlyTexts",
        "Calling, hostileInputsAreRefusedAndReachNothing, plannersAnswerTheSameAgain",
        "Loading, hostileInputsAreRefusedAndReachNothing, plannersAnswerTheSameAgain",
        "AnyOption, hostileInputsAreRefusedAndReachNothing, switchesAreNamedOnce",
        "DeclaredOnly, switchesHaveTheirValuesInTheRunningEngine, switchesAreNamedOnce",
        "OpenFile, closingAnEngineClosesItsActors, closeTwice",
    })
    void isFound(String port, String failing, String passing) {
        Class<?> kit = Arrays.stream(PlantedPorts.class.getDeclaredClasses())
                .filter(each -> each.getSimpleName().equals(port))
                .findFirst()
                .orElseThrow();
        MethodSelector[] cases = {selectMethod(kit, failing), selectMethod(kit, passing)};
        List<String> failed = EngineTestKit.engine("junit-jupiter")
                .selectors(cases)
                .execute()
                .testEvents()
                .failed()
                .map(event -> event.getTestDescriptor().getLegacyReportingName())
                .toList();
        assertThat(failed).containsExactly(failing + "()");
    }
}
