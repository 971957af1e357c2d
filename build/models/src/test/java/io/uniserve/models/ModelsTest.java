package io.uniserve.models;

import static io.uniserve.models.ModelInstance.draft;
import static io.uniserve.models.ModelInstance.oneServerWithout;
import static io.uniserve.models.ModelInstance.otherReads;
import static io.uniserve.models.ModelInstance.plantedUpdates;
import static io.uniserve.models.ModelInstance.reads;
import static io.uniserve.models.ModelInstance.readsWithout;
import static io.uniserve.models.ModelInstance.rulesAnd;
import static io.uniserve.models.ModelInstance.updates;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The instances of docs/spec with their documented number of states. Another number means that the model has changed without its documents.
 */
class ModelsTest {
    /**
     * Number of states of an instance that was not searched completely since the last change of the model. The next complete search sets
     * it.
     */
    private static final long NOT_COUNTED = 0;

    private static Tlc tlc;

    @TempDir
    private Path directory;

    @BeforeAll
    static void tools() throws IOException, InterruptedException {
        tlc = new Tlc(TlaTools.jar());
    }

    static Stream<ModelInstance> whatHolds() {
        Stream<ModelInstance> small = Stream.of(
                updates(2, 1, 2, 0, 65_626),
                updates(1, 2, 3, 0, 161_839),
                reads(1, 1, 3, 67_355),
                reads(1, 1, 3, 155_099, "restart"),
                reads(1, 1, 3, 150_829, "split", "checkLast"),
                reads(1, 1, 2, 18_581, "late"),
                reads(1, 2, 1, 25_857, "late"),
                reads(1, 2, 1, 66_073, "late", "heard"));
        Stream<ModelInstance> large = Stream.of(
                updates(2, 1, 2, 1, 261_810),
                reads(1, 2, 3, NOT_COUNTED),
                reads(2, 1, 2, NOT_COUNTED),
                reads(2, 2, 1, NOT_COUNTED));
        return Boolean.getBoolean("uniserve.spec.large") ? Stream.concat(small, large) : small;
    }

    static Stream<ModelInstance> whatBreaks() {
        Stream<ModelInstance> small = Stream.of(
                plantedUpdates("nomax", "Durable", 9),
                plantedUpdates("nofence", "Durable", 7),
                plantedUpdates("earlyadd", "Durable", 9),
                plantedUpdates("anyreplica", "ReadOK", 8),
                readsWithout("resolve", 1, 1, 2, "I4", 7),
                readsWithout("isr", 1, 1, 2, "I4", 7),
                readsWithout("round2", 2, 1, 1, "I3", 9),
                readsWithout("gateVote", 1, 1, 2, "I4", 9),
                readsWithout("lease", 1, 1, 2, "I4", 10),
                readsWithout("renewMap", 1, 1, 2, "I4", 11),
                readsWithout("floor", 2, 1, 1, "I5", 11),
                readsWithout("applied", 1, 1, 2, "I3", 8),
                readsWithout("withhold", 1, 1, 2, "I4", 7),
                readsWithout("stop", 1, 1, 2, "I4", 7),
                readsWithout("order", 2, 2, 1, "I4", 10),
                readsWithout("denied", 1, 1, 1, "I4", 7),
                readsWithout("fresh", 1, 1, 1, "I4", 11, "heard"),
                readsWithout("oldest", 1, 2, 1, "I4", 9),
                readsWithout("anew", 1, 2, 1, "I4", 13, "late"),
                oneServerWithout("anew", 2, 2, "I4", 15),
                otherReads("reads of the first draft, without a failure", 1, draft(), "I4", 12),
                otherReads("reads of the first draft", 2, draft(), "I3", 10),
                otherReads("reads in two steps without checkLast", 2, rulesAnd("split"), "I3", 12));
        Stream<ModelInstance> large = Stream.of(readsWithout("base", 2, 2, 2, "I3", 14));
        return Boolean.getBoolean("uniserve.spec.large") ? Stream.concat(small, large) : small;
    }

    @ParameterizedTest
    @MethodSource("whatHolds")
    void holds(ModelInstance instance) throws IOException, InterruptedException {
        Tlc.Result result = tlc.check(instance, directory);
        assertThat(result.broken()).as("%s", result.output()).isEmpty();
        if (instance.distinct() == NOT_COUNTED) {
            assertThat(result.distinct()).as("%s", result.output()).isPositive();
        } else {
            assertThat(result.distinct()).as("%s", result.output()).isEqualTo(instance.distinct());
        }
    }

    /** Runs breadth first with one worker, so that the counterexample is a shortest one. */
    @ParameterizedTest
    @MethodSource("whatBreaks")
    void breaks(ModelInstance instance) throws IOException, InterruptedException {
        Tlc.Result result = tlc.check(instance, directory);
        assertThat(result.broken()).as("%s", result.output()).isEqualTo(instance.broken());
        assertThat(result.steps()).as("%s", result.output()).isEqualTo(instance.steps());
    }
}
