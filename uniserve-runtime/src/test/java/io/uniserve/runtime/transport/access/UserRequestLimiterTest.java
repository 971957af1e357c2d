package io.uniserve.runtime.transport.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UserRequestLimiterTest {
    private final AccessControl access =
            AccessControl.of(new SecuritySettings(true, Set.of("root")), AuditRecorder.NONE);
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1); // wraps around soon, as nanoTime may
    private final UserRequestLimiter limiter = new UserRequestLimiter(() -> nanos);
    private final List<Outcome<String>> outcomes = new ArrayList<>();

    private Caller caller(Kind kind, String name) {
        List<Caller> found = new ArrayList<>();
        access.with(Optional.of(new CertifiedIdentity("main", kind, name)), "10.0.0.9", "uniserve.Data/Query")
                .run(() -> found.add(access.current()));
        return found.get(0);
    }

    private void rules(RoleLimit... limits) {
        AccessRules rules = AccessRules.NONE
                .with(new RoleGrant("ann", Role.READER, TablePattern.ALL))
                .with(new RoleGrant("bob", Role.WRITER, TablePattern.ALL));
        for (RoleLimit limit : limits) {
            rules = rules.with(limit);
        }
        access.setRules(Optional.of(rules));
    }

    private Completion<String> start(Caller caller) {
        return limiter.start(caller, outcomes::add);
    }

    private static void assertRefused(Runnable call, String limit) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining(limit);
    }

    @Test
    void queriesAtTheSameTimeAreLimitedPerUser() {
        rules(new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 2));
        Caller ann = caller(Kind.USER, "ann");
        Completion<String> first = start(ann);
        Completion<String> second = start(ann);
        assertRefused(() -> start(ann), "user ann is over its limit concurrent-queries = 2 of role reader");
        assertThat(limiter.running("ann")).isEqualTo(2);
        for (int i = 0; i < 5; i++) {
            start(caller(Kind.USER, "bob"));
            start(caller(Kind.SERVER, "s1"));
            start(caller(Kind.USER, "root"));
        }
        first.done(Outcome.ok("a"));
        first.done(Outcome.ok("a again"));
        assertThat(limiter.running("ann")).as("a second answer is not counted").isEqualTo(1);
        start(ann).done(Outcome.ok("b"));
        second.done(Outcome.ok("c"));
        assertThat(limiter.running("ann")).isZero();
        assertThat(outcomes).contains(Outcome.ok("a"), Outcome.ok("b"), Outcome.ok("c"));
    }

    @Test
    void aNewLimitCountsWhatRunsAlready() {
        rules();
        Caller ann = caller(Kind.USER, "ann");
        List<Completion<String>> running = List.of(start(ann), start(ann), start(ann));
        rules(new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 2));
        assertRefused(() -> start(ann), "concurrent-queries = 2");
        running.get(0).done(Outcome.ok("x"));
        assertRefused(() -> start(ann), "concurrent-queries = 2");
        running.get(1).done(Outcome.ok("x"));
        start(ann);
    }

    /** Update with this many rows for one actor. */
    private static UpdateRequest update(long id, int actor, int rows) {
        Bytes counted = Codecs.list(Codecs.LONG).encode(Collections.nCopies(rows, 1L));
        return update(id, new UpdateRequest.ActorRows(actor, 0, counted));
    }

    private static UpdateRequest update(long id, UpdateRequest.ActorRows... rows) {
        return new UpdateRequest(
                new TableName("t"), 1, new RequestId(1, 2, id), 0, 1, AckLevel.PRIMARY, "put@1", List.of(rows), 1);
    }

    @Test
    void rowsOfUpdatesPerSecondAreLimited() {
        rules(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 100));
        Caller bob = caller(Kind.USER, "bob");
        limiter.recordUpdate(bob, update(1, 0, 100));
        limiter.recordUpdate(bob, update(2, 0, 250)); // one update may exceed it: 350 rows are used up after 3.5 s
        assertRefused(() -> limiter.recordUpdate(bob, update(3, 0, 1)), "wait for 2500 ms");
        limiter.recordUpdate(caller(Kind.USER, "root"), update(4, 0, 10_000));
        limiter.recordUpdate(caller(Kind.SERVER, "s1"), update(5, 0, 10_000));
        nanos += TimeUnit.MILLISECONDS.toNanos(2_499);
        assertRefused(() -> limiter.recordUpdate(bob, update(3, 0, 1)), "update-rows-per-second = 100 of role writer");
        nanos += TimeUnit.MILLISECONDS.toNanos(1);
        limiter.recordUpdate(bob, update(3, 0, 1));
        nanos += TimeUnit.HOURS.toNanos(1);
        limiter.recordUpdate(bob, update(6, 0, 100));
        limiter.recordUpdate(bob, update(7, 0, 100));
        assertRefused(() -> limiter.recordUpdate(bob, update(8, 0, 100)), "wait for 1000 ms");
    }

    @Test
    void partsAndRepetitionsOfAnAdmittedUpdateAreNotRefusedAndCountOnce() {
        rules(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 100));
        Caller bob = caller(Kind.USER, "bob");
        for (int attempt = 0; attempt < 3; attempt++) {
            for (int actor = 0; actor < 4; actor++) {
                limiter.recordUpdate(bob, update(1, actor, 100));
            }
            limiter.recordUpdate(
                    bob,
                    update(1, new UpdateRequest.ActorRows(0, 0, Bytes.EMPTY, new StagedRowsRef(1, "0".repeat(64)))));
        }
        assertRefused(() -> limiter.recordUpdate(bob, update(2, 0, 1)), "wait for 3000 ms");
        UpdateRequest same = update(1, 0, 1);
        UpdateRequest other = new UpdateRequest(
                same.table(), 2, same.request(), 0, 1, same.level(), same.function(), same.actors(), 1);
        assertRefused(() -> limiter.recordUpdate(bob, other), "wait for 3000 ms");
    }

    @Test
    void aCorrectedLimitHoldsAtOnce() {
        rules(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 1));
        Caller bob = caller(Kind.USER, "bob");
        limiter.recordUpdate(bob, update(1, 0, 1_000));
        assertRefused(() -> limiter.recordUpdate(bob, update(2, 0, 1)), "wait for 999000 ms");
        rules(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 500));
        assertRefused(() -> limiter.recordUpdate(bob, update(2, 0, 1)), "wait for 1000 ms");
        rules();
        limiter.recordUpdate(bob, update(3, 0, 1));
        rules(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 1));
        limiter.recordUpdate(bob, update(4, 0, 1));
    }

    @Test
    void manyUsersAreForgottenAgain() {
        AccessRules rules = AccessRules.NONE.with(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 1));
        for (int i = 0; i < 1_500; i++) {
            rules = rules.with(new RoleGrant("u" + i, Role.WRITER, TablePattern.ALL));
        }
        access.setRules(Optional.of(rules));
        for (int i = 0; i < 1_500; i++) {
            limiter.recordUpdate(caller(Kind.USER, "u" + i), update(i, 0, 2));
        }
        assertRefused(
                () -> limiter.recordUpdate(caller(Kind.USER, "u7"), update(2_000, 0, 1)), "update-rows-per-second = 1");
        nanos += TimeUnit.SECONDS.toNanos(2);
        limiter.recordUpdate(caller(Kind.USER, "u7"), update(2_001, 0, 1));
        assertThat(limiter.trackedUsers()).isLessThan(10);
    }

    @Test
    void unreadRepliesOfAUserAreLimitedButForOne() {
        rules(new RoleLimit(Role.READER, LimitKind.RESULT_BYTES, 100));
        Caller ann = caller(Kind.USER, "ann");
        limiter.checkUnsent(ann, 1_000);
        limiter.addUnsent(ann, 60);
        limiter.checkUnsent(ann, 40);
        assertRefused(() -> limiter.checkUnsent(ann, 41), "60 bytes of replies wait to be received");
        limiter.checkUnsent(caller(Kind.USER, "bob"), 1_000);
        limiter.addUnsent(ann, -60);
        assertThat(limiter.unsent("ann")).isZero();
        limiter.checkUnsent(ann, 41);
    }

    @Test
    void inModeOpenNothingIsLimited() {
        List<Caller> found = new ArrayList<>();
        AccessControl.OPEN
                .with(Optional.of(new CertifiedIdentity("main", Kind.USER, "ann")), "10.0.0.9", "x")
                .run(() -> found.add(AccessControl.OPEN.current()));
        AccessControl.OPEN.setRules(Optional.of(AccessRules.NONE
                .with(new RoleGrant("ann", Role.WRITER, TablePattern.ALL))
                .with(new RoleLimit(Role.WRITER, LimitKind.CONCURRENT_QUERIES, 1))));
        start(found.get(0));
        start(found.get(0));
        limiter.recordUpdate(found.get(0), update(1, 0, 10_000));
        assertThat(AccessControl.OPEN.limits("ann").isEmpty()).isTrue();
        AccessControl.OPEN.setRules(Optional.empty());
    }
}
