package io.uniserve.runtime.transport.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.access.Right;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.audit.AuditOptions;
import io.uniserve.runtime.audit.AuditVerifier;
import io.uniserve.runtime.config.AuditSettings;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.SecurityProto.RequestEffect;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessControlTest {
    private static final Optional<TableName> LOGS = Optional.of(new TableName("logs"));
    private static final Optional<TableName> ORDERS = Optional.of(new TableName("orders"));

    private final AccessControl access = closed(AuditRecorder.NONE);

    private static AccessControl closed(AuditRecorder audit) {
        return AccessControl.of(new SecuritySettings(true, Set.of("root")), audit);
    }

    private Caller caller(Kind kind, String name) {
        return call(access, Optional.of(new CertifiedIdentity("main", kind, name)));
    }

    private static Caller call(AccessControl access, Optional<CertifiedIdentity> identity) {
        List<Caller> found = new ArrayList<>();
        access.with(identity, "10.0.0.9", "uniserve.Data/Query").run(() -> found.add(access.current()));
        return found.get(0);
    }

    private void grant(String user, Role role, String tables) {
        access.setRules(Optional.of(AccessRules.NONE.with(new RoleGrant(user, role, new TablePattern(tables)))));
    }

    private static ErrorCode refused(Caller caller, Right right, Optional<TableName> table) {
        try {
            caller.check(right, table);
            throw new AssertionError("not refused");
        } catch (UniserveException e) {
            return e.code();
        }
    }

    @Test
    void everyMethodAndEveryRequestDeclaresItsRight() {
        assertThat(RequestRights.ofMethods()).hasSizeGreaterThanOrEqualTo(7).doesNotContainValue(Optional.empty());
        assertThat(RequestRights.all()).hasSizeGreaterThanOrEqualTo(25).doesNotContainValue(Optional.empty());
        assertThatThrownBy(() -> RequestRights.ofMethod("uniserve.Data/New")).hasMessageContaining("declares no right");
    }

    @Test
    void everyRequestDeclaresItsEffect() {
        assertThat(RequestRights.effects())
                .hasSameSizeAs(RequestRights.all())
                .doesNotContainValue(RequestEffect.EFFECT_UNDECLARED);
        assertThatThrownBy(() -> RequestRights.isChange(AdminProto.AdminCall.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHORIZED))
                .hasMessageContaining("declares no effect");
    }

    @Test
    void beforeTheRulesAreKnownUsersAreRefusedAndProcessesAreNot() {
        assertThat(refused(caller(Kind.USER, "ann"), Right.READ, LOGS)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refused(caller(Kind.USER, "root"), Right.READ, LOGS)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThatCode(() -> caller(Kind.SERVER, "s1").check(Right.WRITE, LOGS)).doesNotThrowAnyException();
    }

    @Test
    void withoutAnIdentityNothingIsPermitted() {
        grant("ann", Role.ADMIN, "*");
        for (Right right : Right.values()) {
            assertThat(refused(call(access, Optional.empty()), right, LOGS)).isEqualTo(ErrorCode.UNAUTHORIZED);
            assertThat(refused(access.current(), right, LOGS))
                    .as("no interceptor ran")
                    .isEqualTo(ErrorCode.UNAUTHORIZED);
        }
    }

    @Test
    void aServerOfTheSameNameIsNoUser() {
        grant("s1", Role.READER, "logs");
        assertThat(caller(Kind.SERVER, "s1").user()).isEmpty();
        assertThat(caller(Kind.USER, "s1").permits(Right.WRITE, LOGS)).isFalse();
    }

    @Test
    void deniedAndAbsentTablesLookAlike() {
        grant("ann", Role.READER, "logs");
        Caller ann = caller(Kind.USER, "ann");
        assertThatThrownBy(() -> ann.check(Right.READ, ORDERS))
                .hasMessage(AccessControl.absent(ORDERS.get()).getMessage());
        assertThatThrownBy(() -> ann.check(Right.WRITE, LOGS))
                .hasMessageContaining("uniserve grant ann writer logs")
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(ann, Right.OPERATE, Optional.empty())).isEqualTo(ErrorCode.UNAUTHORIZED);
    }

    @Test
    void newRulesHoldAtOnceAndListenersAreCalled() {
        List<String> received = new ArrayList<>();
        Runnable remove = access.onChange(() -> received.add("rules"));
        grant("ann", Role.WRITER, "logs");
        Caller ann = caller(Kind.USER, "ann");
        assertThat(ann.permits(Right.WRITE, LOGS)).isTrue();
        access.setRules(Optional.of(AccessRules.NONE));
        assertThat(ann.permits(Right.WRITE, LOGS)).as("a call that is open").isFalse();
        remove.run();
        access.setRules(Optional.empty());
        assertThat(refused(ann, Right.WRITE, LOGS)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(received).hasSize(2);
    }

    @Test
    void adminsOfTheSettingsNeedNoRule() {
        access.setRules(Optional.of(AccessRules.NONE));
        Caller root = caller(Kind.USER, "root");
        assertThat(root.permits(Right.ADMINISTER, Optional.empty())).isTrue();
        assertThat(root.withSettings("root", List.of())).singleElement().hasToString("root admin");
        assertThat(root.withSettings("ann", List.of())).isEmpty();
        assertThat(caller(Kind.SERVER, "root").user()).isEmpty();
    }

    @Test
    void queuesAreByUserInModeClosedAndByTheNamedClientElse() {
        assertThat(caller(Kind.USER, "ann").queueName("other")).isEqualTo("ann");
        assertThat(caller(Kind.SERVER, "s1").queueName("ann")).isEqualTo("ann");
        assertThat(call(AccessControl.OPEN, Optional.empty()).queueName("some")).isEqualTo("some");
    }

    @Test
    void refusalsAndChangesAreWrittenBeforeTheAnswer(@TempDir Path directory) {
        try (AuditRecorder trail = AuditRecorder.open(settings(directory), "s1")) {
            AccessControl audited = closed(trail);
            audited.setRules(Optional.of(AccessRules.NONE));
            Caller ann = call(audited, Optional.of(new CertifiedIdentity("main", Kind.USER, "ann")));
            assertThat(refused(ann, Right.READ, LOGS)).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            assertThat(ann.mayRead(ORDERS.get())).isFalse();
            Caller root = call(audited, Optional.of(new CertifiedIdentity("main", Kind.USER, "root")));
            CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
            List<String> before = new ArrayList<>();
            root.requesting("drop_table").audited("logs", answer::complete, done -> {
                before.addAll(lines(directory));
                done.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no leader")));
            });
            assertThat(answer.join()).isInstanceOf(Outcome.Err.class);
            assertThat(before).last().asString().contains("\"drop_table\"", "\"user/root\"", "\"OK\"");
        }
        assertThat(lines(directory))
                .hasSize(4)
                .allSatisfy(line -> assertThat(line).contains("\"10.0.0.9\""))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("\"REFUSAL\"", "\"user/ann\"", "\"logs\"", "uniserve.Data/Query"),
                        line -> assertThat(line).contains("\"REFUSAL\"", "\"orders\""),
                        line -> assertThat(line).contains("\"CHANGE\"", "\"OK\""),
                        line -> assertThat(line).contains("\"CHANGE\"", "\"FAILED\"", "no leader"));
        assertThat(AuditVerifier.verify(directory.resolve("audit")).isIntact()).isTrue();
    }

    @Test
    void aHandlerThatThrowsStillAnswers(@TempDir Path directory) {
        try (AuditRecorder trail = AuditRecorder.open(settings(directory), "s1")) {
            Caller root = call(closed(trail), Optional.of(new CertifiedIdentity("main", Kind.USER, "root")));
            CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
            root.audited("logs", answer::complete, done -> {
                throw new IllegalStateException("secret");
            });
            assertThat(answer.join().error().code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(answer.join().error().getMessage()).doesNotContain("secret");
        }
    }

    @Test
    void withoutTheAuditLogNoChangeIsMade(@TempDir Path directory) {
        AuditRecorder trail = AuditRecorder.open(settings(directory), "s1");
        trail.close();
        AccessControl audited = closed(trail);
        Caller root = call(audited, Optional.of(new CertifiedIdentity("main", Kind.USER, "root")));
        CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
        List<String> made = new ArrayList<>();
        root.audited("logs", answer::complete, done -> made.add("change"));
        assertThat(answer.join().error().code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(made).isEmpty();
    }

    private static AuditSettings settings(Path directory) {
        return new AuditSettings(
                Optional.of(directory.resolve("audit")), 1 << 20, 4, AuditOptions.FailurePolicy.REFUSE_CHANGES);
    }

    private static List<String> lines(Path directory) {
        try (Stream<Path> files = Files.list(directory.resolve("audit"))) {
            List<String> lines = new ArrayList<>();
            for (Path file : files.filter(one -> one.toString().endsWith(".jsonl"))
                    .sorted()
                    .toList()) {
                lines.addAll(Files.readAllLines(file));
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aNumberOfAnotherTableIsNotServed() {
        grant("ann", Role.READER, "logs");
        Caller ann = caller(Kind.USER, "ann");
        assertThatThrownBy(() -> ann.servedId(LOGS.get(), 1)).hasMessageContaining("does not know table logs yet");
        access.setRouting(new Routing("main", List.of(route("logs", 1), route("orders", 2)), List.of(), null));
        assertThat(ann.servedId(LOGS.get(), 1)).isEqualTo(1);
        assertThat(ann.servedId(LOGS.get(), 2)).isZero();
        assertThat(caller(Kind.SERVER, "s1").servedId(LOGS.get(), 2)).isEqualTo(2);
    }

    private static TableRoute route(String name, long number) {
        TableMeta meta = new TableMeta(
                new TableName(name),
                number,
                new Partitioner.Hash(1),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
        return new TableRoute(meta, new TableMap(meta.name(), number, List.of()), 0);
    }

    @Test
    void inModeOpenEveryoneMayDoEverything() {
        for (Right right : Right.values()) {
            assertThat(AccessControl.OPEN.current().permits(right, LOGS)).isTrue();
        }
    }
}
