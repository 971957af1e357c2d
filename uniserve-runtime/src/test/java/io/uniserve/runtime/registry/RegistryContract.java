package io.uniserve.runtime.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Contract of every registry; run on ZooKeeper and on its in-memory counterpart. */
abstract class RegistryContract {
    final Loop loop = new Loop();

    /** Opens a new session of the only cluster. */
    abstract Registry open();

    /** True if the server has a watch of the path; empty if this cannot be checked. */
    Optional<Boolean> watchedAtServer(String path) {
        return Optional.empty();
    }

    /** Ends the session and deletes its ephemeral nodes. */
    abstract void end(Registry registry);

    /** Disconnects the session, runs the task, and reconnects before the session expires. */
    abstract void whileCut(Registry registry, Runnable task);

    /** Makes ZooKeeper expire the session; a new one follows. */
    abstract void expire(Registry registry);

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    static RegistryValue term(String leader) {
        return new TermRecord(leader);
    }

    static MultiResult multi(Registry registry, Op... ops) {
        return Waiter.<MultiResult>value(done -> registry.multi(List.of(ops), done));
    }

    static Versioned read(Registry registry, String path) {
        return Waiter.<Versioned>value(done -> registry.read(path, done));
    }

    static List<String> children(Registry registry, String path) {
        return Waiter.<List<String>>value(done -> registry.children(path, done));
    }

    @Test
    void versionsBeginAtZeroAndGrowByOne() {
        Registry registry = open();
        assertThat(multi(registry, new Op.Create("/a/b", term("x"), false)))
                .isEqualTo(new MultiResult(true, List.of(0), -1));
        assertThat(multi(registry, new Op.Set("/a/b", term("y"), 0)).versions()).containsExactly(1);
        assertThat(read(registry, "/a/b")).isEqualTo(new Versioned(term("y"), 1));
        assertThat(multi(registry, new Op.Check("/a/b", 1), new Op.Delete("/a/b", 1))
                        .versions())
                .containsExactly(Registry.ABSENT, Registry.ABSENT);
        assertThat(read(registry, "/a/b")).isEqualTo(new Versioned(null, Registry.ABSENT));
    }

    @Test
    void aConflictNamesTheOperationAndAppliesNothing() {
        Registry registry = open();
        multi(registry, new Op.Create("/c/one", term("x"), false));
        MultiResult result = multi(
                registry,
                new Op.Create("/c/two", term("y"), false),
                new Op.Check("/c/one", 0),
                new Op.Set("/c/one", term("z"), 4));
        assertThat(result.applied()).isFalse();
        assertThat(result.conflict()).isEqualTo(2);
        assertThat(children(registry, "/c")).containsExactly("one");
        assertThat(read(registry, "/c/one").value()).isEqualTo(term("x"));
    }

    @Test
    void whatIsThereCannotBeCreatedAndWhatIsNotCannotBeChanged() {
        Registry registry = open();
        multi(registry, new Op.Create("/d", term("x"), false));
        assertThat(multi(registry, new Op.Create("/d", term("x"), false)).conflict())
                .isZero();
        assertThat(multi(registry, new Op.Set("/none", term("x"), 0)).conflict())
                .isZero();
        assertThat(multi(registry, new Op.Delete("/none", 0)).conflict()).isZero();
        assertThat(multi(registry, new Op.Check("/none", 0)).conflict()).isZero();
        assertThat(multi(registry, new Op.Delete("/d", 1)).conflict()).isZero();
    }

    @Test
    void aNodeWithChildrenCannotBeDeleted() {
        Registry registry = open();
        assertThat(multi(registry, new Op.Create("/p", term("x"), false), new Op.Create("/p/q", term("y"), false))
                        .applied())
                .isTrue();
        assertThat(multi(registry, new Op.Delete("/p", 0)).applied()).isFalse();
    }

    @Test
    void parentsAreMadeAsNeededAndGoWithTheirLastChild() {
        Registry registry = open();
        multi(
                registry,
                new Op.Create("/tables/t/meta", term("m"), false),
                new Op.Create("/tables/t/backup/7", term("b"), false));
        assertThat(children(registry, "/tables")).containsExactly("t");
        assertThat(children(registry, "/tables/t")).containsExactly("backup", "meta");
        assertThat(read(registry, "/tables/t").version()).isEqualTo(Registry.ABSENT);
        multi(registry, new Op.Delete("/tables/t/meta", 0), new Op.Delete("/tables/t/backup/7", 0));
        assertThat(children(registry, "/tables")).isEmpty();
        multi(registry, new Op.Create("/tables/t/meta", term("n"), false));
        assertThat(read(registry, "/tables/t/meta").value()).isEqualTo(term("n"));
    }

    @Test
    void aValuedParentStays() {
        Registry registry = open();
        multi(registry, new Op.Create("/v", term("x"), false), new Op.Create("/v/w", term("y"), false));
        multi(registry, new Op.Delete("/v/w", 0));
        assertThat(read(registry, "/v").value()).isEqualTo(term("x"));
    }

    @Test
    void childrenAreSortedAndNoneWhereTheNodeIsAbsent() {
        Registry registry = open();
        for (String name : List.of("b", "a", "c")) {
            multi(registry, new Op.Create("/sorted/" + name, term(name), false));
        }
        assertThat(children(registry, "/sorted")).containsExactly("a", "b", "c");
        assertThat(children(registry, "/absent")).isEmpty();
    }

    @Test
    void ephemeralNodesGoWithTheirSession() {
        Registry keeper = open();
        Registry passing = open();
        multi(passing, new Op.Create("/servers/s1", term("x"), true), new Op.Create("/stays", term("y"), false));
        AtomicInteger told = new AtomicInteger();
        keeper.watch("/servers", told::incrementAndGet);
        assertThat(children(keeper, "/servers")).containsExactly("s1");
        end(passing);
        await().until(() -> children(keeper, "/servers").isEmpty());
        await().until(() -> told.get() > 0);
        assertThat(read(keeper, "/stays").value()).isEqualTo(term("y"));
    }

    @Test
    void watchesTellOfValueExistenceAndChildrenAndStay() {
        Registry watcher = open();
        Registry writer = open();
        AtomicInteger node = new AtomicInteger();
        AtomicInteger parent = new AtomicInteger();
        watcher.watch("/w/n", node::incrementAndGet);
        watcher.watch("/w", parent::incrementAndGet);
        Waiter.value(watcher::sync);
        tells(node, () -> tells(parent, () -> multi(writer, new Op.Create("/w/n", term("1"), false))));
        tells(node, () -> multi(writer, new Op.Set("/w/n", term("2"), 0)));
        tells(node, () -> tells(parent, () -> multi(writer, new Op.Delete("/w/n", 1))));
        tells(node, () -> multi(writer, new Op.Create("/w/n", term("3"), false)));
    }

    private void tells(AtomicInteger watch, Runnable change) {
        int before = watch.get();
        change.run();
        await().until(() -> watch.get() > before);
    }

    @Test
    void whatIsUnwatchedIsToldNoMoreAndMayBeWatchedAgain() {
        Registry watcher = open();
        Registry writer = open();
        multi(writer, new Op.Create("/u/n", term("0"), false), new Op.Create("/u/m", term("0"), false));
        AtomicInteger node = new AtomicInteger();
        AtomicInteger other = new AtomicInteger();
        watcher.watch("/u/n", node::incrementAndGet);
        watcher.watch("/u/m", other::incrementAndGet);
        Waiter.value(watcher::sync);
        tells(node, () -> multi(writer, new Op.Set("/u/n", term("1"), 0)));
        watchedAtServer("/u/n").ifPresent(watched -> assertThat(watched).isTrue());
        watcher.unwatch("/u/n");
        watcher.unwatch("/u/n");
        watcher.unwatch("/u/never");
        Waiter.value(watcher::sync);
        watchedAtServer("/u/n").ifPresent(watched -> assertThat(watched).isFalse());
        watchedAtServer("/u/m").ifPresent(watched -> assertThat(watched).isTrue());
        int before = node.get();
        multi(writer, new Op.Set("/u/n", term("2"), 1));
        tells(other, () -> multi(writer, new Op.Set("/u/m", term("1"), 0)));
        assertThat(node).as("what came before the other's change").hasValue(before);
        AtomicInteger again = new AtomicInteger();
        watcher.watch("/u/n", again::incrementAndGet);
        assertThat(read(watcher, "/u/n").version()).isEqualTo(2);
        tells(again, () -> multi(writer, new Op.Set("/u/n", term("3"), 2)));
        assertThat(node).hasValue(before);
    }

    @Test
    void whatIsReadAfterACheckIsAsNewAsTheCheck() {
        Registry reader = open();
        Registry writer = open();
        multi(writer, new Op.Create("/fresh/quiet", term("x"), false), new Op.Create("/fresh/busy", term("0"), false));
        for (int i = 0; i < 50; i++) {
            multi(writer, new Op.Set("/fresh/busy", term("" + i), i));
            multi(reader, new Op.Check("/fresh/quiet", 0));
            assertThat(read(reader, "/fresh/busy").version()).isEqualTo(i + 1);
        }
    }

    @Test
    void aReadAfterAWatchMissesNothing() {
        Registry watcher = open();
        Registry writer = open();
        for (int i = 0; i < 50; i++) {
            String path = "/race/n" + i;
            AtomicInteger told = new AtomicInteger();
            writer.multi(List.of(new Op.Create(path, term("x"), false)), outcome -> {});
            watcher.watch(path, told::incrementAndGet);
            Versioned seen = read(watcher, path);
            if (seen.version() == Registry.ABSENT) {
                await().until(() -> told.get() > 0);
            }
        }
    }

    @Test
    void badPathsAndVersionsAreRefused() {
        Registry registry = open();
        for (String path : List.of("", "/", "a", "/a/", "//a", "/a/../b", "/a/./b", "/a\u0000b", "/a b")) {
            assertThat(Waiter.<Versioned>error(done -> registry.read(path, done))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        for (Op op : List.of(new Op.Set("/a", term("x"), -1), new Op.Delete("/a", -1), new Op.Check("/a", -1))) {
            assertThat(Waiter.<MultiResult>error(done -> registry.multi(List.of(op), done))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(Waiter.<MultiResult>error(done -> registry.multi(List.of(), done))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void whatChangedDuringACutIsToldAfterIt() {
        Registry watcher = open();
        Registry writer = open();
        multi(writer, new Op.Create("/cut/n", term("1"), false));
        AtomicInteger told = new AtomicInteger();
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        watcher.onSession(events::add);
        watcher.watch("/cut/n", told::incrementAndGet);
        Waiter.value(watcher::sync);
        multi(watcher, new Op.Create("/cut/mine", term("1"), true));
        whileCut(watcher, () -> multi(writer, new Op.Set("/cut/n", term("2"), 0)));
        await().until(() -> told.get() >= 1);
        assertThat(read(watcher, "/cut/n").value()).isEqualTo(term("2"));
        assertThat(read(watcher, "/cut/mine").version()).isZero();
        assertThat(events).containsExactly(SessionEvent.CONNECTED, SessionEvent.SUSPENDED, SessionEvent.CONNECTED);
        int before = told.get();
        multi(writer, new Op.Set("/cut/n", term("3"), 1));
        await().until(() -> told.get() > before);
    }

    @Test
    void anExpiredSessionLosesItsNodesAndWatchesAndANewOneFollows() {
        Registry registry = open();
        Registry writer = open();
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        AtomicInteger told = new AtomicInteger();
        multi(registry, new Op.Create("/servers/s", term("1"), true));
        registry.onSession(events::add);
        registry.watch("/x", told::incrementAndGet);
        Waiter.value(registry::sync);
        expire(registry);
        await().until(() -> events.size() >= 3 && events.get(events.size() - 1) == SessionEvent.CONNECTED);
        assertThat(events).containsSubsequence(SessionEvent.CONNECTED, SessionEvent.EXPIRED, SessionEvent.CONNECTED);
        assertThat(children(registry, "/servers")).isEmpty();
        multi(writer, new Op.Create("/x", term("1"), false));
        Waiter.value(registry::sync);
        assertThat(read(registry, "/x").version()).isZero();
        assertThat(told).hasValue(0);
    }

    @Test
    void aClosedRegistryRefuses() {
        Registry registry = open();
        multi(registry, new Op.Create("/z", term("1"), false));
        end(registry);
        assertThat(Waiter.<Versioned>error(done -> registry.read("/z", done)).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }
}
