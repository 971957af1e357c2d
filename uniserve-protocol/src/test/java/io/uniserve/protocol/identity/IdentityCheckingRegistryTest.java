package io.uniserve.protocol.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.IdentityRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Registry of one identity, with answers and connections that fail. */
class IdentityCheckingRegistryTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long RETRY = SECOND / 10;
    private static final String OURS = "0d6c3a51-7a0e-4b43-9a3c-1f2b5d8e9c04";
    private static final String OTHER = "93e1f7b2-4c5d-4e6f-8a9b-0c1d2e3f4a5b";

    private final TestingLoop loop = new TestingLoop();
    private final TestingStore store = registryOf(OURS);
    private final TestingRegistry session = new TestingRegistry(loop, store);
    private final List<String> heard = new ArrayList<>();
    private final IdentityCheckingRegistry registry = new IdentityCheckingRegistry(
            session, loop, RETRY, "server s1", "test", new IdentityCheckingRegistry.Listener() {
                @Override
                public void onIdentified(String identity) {
                    heard.add(identity);
                }

                @Override
                public void onRefused(UniserveException why) {
                    heard.add(why.reason());
                }
            });

    private static TestingStore registryOf(String identity) {
        TestingStore store = new TestingStore();
        store.multi(
                "x",
                List.of(
                        new Op.Create(RegistryPaths.CLUSTER, new ClusterRecord("test", 1), false),
                        new Op.Create(RegistryPaths.identity(identity), new IdentityRecord("test", identity), false)));
        return store;
    }

    private void begin() {
        registry.start(OURS, () -> {});
        loop.run(SECOND);
        assertThat(heard).containsExactly(OURS);
    }

    private void write() {
        Op write = new Op.Create("/probe", new ClusterRecord("test", 1), false);
        List<Outcome<MultiResult>> outcome = new ArrayList<>();
        registry.multi(List.of(write), outcome::add);
        assertThat(loop.runUntil(() -> !outcome.isEmpty(), SECOND)).isTrue();
        assertThat(outcome).singleElement().asString().contains("nothing was written");
    }

    @Test
    void aLookAfterARefusedWriteIsRepeatedUntilTheRegistryAnswers() {
        begin();
        session.deaf(true);
        store.replace(registryOf(OTHER));
        write();
        session.cut(true);
        loop.run(3 * SECOND);
        assertThat(registry.refusal()).isNull();
        session.cut(false);
        loop.run(SECOND);
        assertThat(heard).hasSize(2);
        assertThat(heard.get(1)).contains(OURS, OTHER);
    }

    @Test
    void aLookAfterARefusedWriteTakesNoPendingOneAway() {
        begin();
        session.cut(true);
        store.replace(registryOf(OTHER)); // reported by the watch; the next check fails and must be retried
        loop.run(RETRY / 2);
        session.cut(false);
        write();
        session.cut(true);
        loop.run(3 * SECOND);
        session.cut(false);
        loop.run(SECOND);
        assertThat(heard).hasSize(2);
        assertThat(heard.get(1)).contains(OURS, OTHER);
    }

    @Test
    void whileTheConnectionIsGoneANewOneLooksAtTheIdentity() {
        begin();
        session.refuse(true);
        loop.run(60 * SECOND);
        assertThat(registry.outageFinding()).isEmpty();
        TestingStore before = store.copy();
        store.replace(registryOf(OTHER));
        loop.run(20 * SECOND);
        assertThat(registry.outageFinding().map(UniserveException::reason))
                .get()
                .asString()
                .contains(OURS, OTHER);
        store.replace(new TestingStore());
        loop.run(20 * SECOND);
        assertThat(registry.outageFinding().map(UniserveException::reason))
                .get()
                .asString()
                .contains(OURS, "has no identity", "zookeeper.connect");
        store.replace(before);
        session.refuse(false);
        loop.run(SECOND);
        assertThat(registry.outageFinding()).isEmpty();
        assertThat(registry.refusal()).isNull();
        loop.run(60 * SECOND);
        assertThat(registry.outageFinding()).isEmpty();
    }

    @Test
    void aRegistryThatTakesNoConnectionProvesNothing() {
        begin();
        session.refuse(true);
        session.refuse(false);
        session.cut(true);
        loop.run(60 * SECOND);
        assertThat(registry.outageFinding()).isEmpty();
    }
}
