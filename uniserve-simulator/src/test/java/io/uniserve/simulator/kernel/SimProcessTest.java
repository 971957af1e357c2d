package io.uniserve.simulator.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SimProcessTest {
    private final EventQueue queue = new EventQueue();
    private final SimProcess process = new SimProcess("p", queue, new Prng(1), (failed, error) -> {
        throw new AssertionError(error);
    });
    private final List<Outcome<Done>> heard = new ArrayList<>();

    @Test
    void anOperationEndsInTheStartThatBeganIt() {
        process.start(0);
        SimProcess.Pending<Done> pending = process.begin(heard::add);
        pending.complete(10, Outcome.ok(Done.DONE));
        run();
        assertThat(heard).hasSize(1);
    }

    @Test
    void whatALaterStartHearsOfAnEarlierOneIsNothing() {
        process.start(0);
        SimProcess.Pending<Done> pending = process.begin(heard::add);
        process.crash();
        process.start(0);
        pending.complete(10, Outcome.ok(Done.DONE)); // e.g. a slow object store
        run();
        assertThat(heard).isEmpty();
    }

    @Test
    void whatCameDuringAPauseRunsWhenItEndsEarly() {
        List<String> ran = new ArrayList<>();
        process.start(0);
        process.pause(100);
        process.post(10, () -> ran.add("first at " + queue.now()));
        process.post(20, () -> ran.add("second at " + queue.now()));
        queue.at(30, () -> process.pause(500));
        queue.at(120, process::resume);
        process.post(130, () -> ran.add("third at " + queue.now()));
        run();
        assertThat(ran).containsExactly("first at 120", "second at 120", "third at 130");
    }

    private void run() {
        while (queue.step(1_000)) {
            // run all events
        }
    }
}
