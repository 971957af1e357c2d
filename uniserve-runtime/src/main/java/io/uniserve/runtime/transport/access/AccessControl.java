package io.uniserve.runtime.transport.access;

import io.grpc.Context;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Right;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.access.UserLimits;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decision of what callers of this process may do, by the newest rules. In mode open everyone may do everything. In mode closed processes
 * of the cluster may do everything, and users what the rules permit; before the rules are known, and while they are damaged, users are
 * refused. Thread-safe; never blocks.
 *
 * <pre>{@code
 * access.current().check(Right.READ, Optional.of(table));
 * }</pre>
 */
public final class AccessControl {
    /** Mode open. */
    public static final AccessControl OPEN = new AccessControl(true, Set.of(), AuditRecorder.NONE);

    private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);

    private static final Context.Key<Caller> CALLER = Context.key("uniserve-caller");

    /** Decisions that are kept; beyond it each is made anew. */
    private static final int DECISIONS_MAX = 10_000;

    private final boolean open;
    private final Set<String> admins;
    private final AuditRecorder audit;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    /** Revoked subjects, those read last while the rules are damaged. */
    private volatile Set<String> revocations = Set.of();

    private volatile State state = new State(null);
    private volatile Optional<UserCredentials> users = Optional.empty();
    private volatile TableIds tables = TableIds.NONE;

    private record State(
            @Nullable AccessRules rules, Map<Decision, Boolean> decisions, Map<String, UserLimits> limits) {
        private State(@Nullable AccessRules rules) {
            this(rules, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }
    }

    private record Decision(String user, Right right, Optional<TableName> table) {}

    private AccessControl(boolean open, Set<String> admins, AuditRecorder audit) {
        this.open = open;
        this.admins = Set.copyOf(admins);
        this.audit = audit;
    }

    /** Decisions in the mode of the settings. */
    public static AccessControl of(SecuritySettings settings, AuditRecorder audit) {
        return new AccessControl(!settings.closed(), settings.admins(), audit);
    }

    /** What is written to the audit log. */
    public AuditRecorder audit() {
        return audit;
    }

    /** Uses these rules from now on; empty refuses every user. */
    public void setRules(Optional<AccessRules> rules) {
        rules.ifPresent(known -> revocations =
                known.revocations().stream().map(Revocation::subject).collect(Collectors.toUnmodifiableSet()));
        state = new State(rules.orElse(null));
        announce();
    }

    /** Uses these users with a password from now on; empty refuses every password. */
    public void setUsers(Optional<UserCredentials> newest) {
        users = newest;
        announce();
    }

    /** The users with a password; empty if they are not read yet, or damaged. */
    public Optional<UserCredentials> users() {
        return users;
    }

    private void announce() {
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (RuntimeException e) {
                LOG.error("a listener for new rules failed", e);
            }
        }
    }

    /** True in mode open, and once the rules are known. */
    public boolean knowsRules() {
        return open || state.rules != null;
    }

    /** Uses the tables of this routing from now on, to compare names and ids in requests. */
    public void setRouting(Routing routing) {
        if (!open) {
            tables = TableIds.of(routing);
        }
    }

    /** Why a certificate with this subject is not accepted any more, for errors; empty if it is. */
    public Optional<String> revocation(CertificateSubject subject) {
        Set<String> subjects = revocations;
        boolean revoked = !open
                && (subjects.contains(subject.fingerprint())
                        || subject.identity()
                                .map(CertifiedIdentity::principal)
                                .filter(subjects::contains)
                                .isPresent());
        return revoked
                ? Optional.of(
                        subject.fingerprint().isEmpty()
                                ? "the user is revoked: an admin takes it back by uniserve security revoke --undo"
                                : "its certificate is revoked: issue another, with another name if that is revoked")
                : Optional.empty();
    }

    /** Revoked subjects, see {@link Revocation}. */
    public Set<String> revocations() {
        return revocations;
    }

    /**
     * User whose work is queued under this name; empty in mode open, where clients choose their names.
     *
     * @param queueName see {@link Caller#queueName}
     */
    public String userOf(String queueName) {
        return open ? "" : queueName;
    }

    /**
     * Limits on the requests of a user; none in mode open, for the empty name, and before the rules are known, when users are refused.
     *
     * @param user name of a user, or the name under which a process sends a user's work
     */
    public UserLimits limits(String user) {
        State now = state;
        AccessRules rules = now.rules;
        if (open || user.isEmpty() || rules == null || rules.limits().isEmpty()) {
            return UserLimits.NONE;
        }
        UserLimits known = now.limits.get(user);
        if (known != null) {
            return known;
        }
        UserLimits limits = UserLimits.ofGrants(withSettings(user, rules.of(user)), rules.limits());
        if (now.limits.size() < DECISIONS_MAX) {
            now.limits.put(user, limits);
        }
        return limits;
    }

    private List<RoleGrant> withSettings(String user, List<RoleGrant> grants) {
        List<RoleGrant> all = new ArrayList<>(grants);
        if (admins.contains(user) && grants.stream().noneMatch(grant -> grant.role() == Role.ADMIN)) {
            all.add(0, new RoleGrant(user, Role.ADMIN, TablePattern.ALL));
        }
        return all;
    }

    /** True in mode open. */
    public boolean isOpen() {
        return open;
    }

    /** Adds a listener for new rules and users. The result removes it. */
    public Runnable onChange(Runnable listener) {
        Runnable added = listener::run; // the same listener may be added twice
        listeners.add(added);
        return () -> listeners.remove(added);
    }

    /** The caller of the call that this thread handles; without an identity if no interceptor has set it. */
    public Caller current() {
        Caller caller = CALLER.get();
        return caller == null ? new Caller(Optional.empty(), Optional.empty(), "", "") : caller;
    }

    /**
     * The context with the caller, for an interceptor that has verified its certificate.
     *
     * @param address network address of the caller
     * @param action the method that it calls
     */
    public Context with(Optional<CertifiedIdentity> identity, String address, String action) {
        return Context.current().withValue(CALLER, new Caller(identity, Optional.empty(), address, action));
    }

    /**
     * The context with a user that logged in with its password, for an interceptor that has verified its token.
     *
     * @param login the credential that the user logged in with: its calls end when the user has another one
     */
    public Context with(CertifiedIdentity identity, UserCredential login, String address, String action) {
        return Context.current()
                .withValue(CALLER, new Caller(Optional.of(identity), Optional.of(login), address, action));
    }

    /** A caller of this process. */
    public final class Caller {
        private final Optional<CertifiedIdentity> identity;
        private final Optional<UserCredential> login;
        private final String address;
        private final String action;

        private Caller(
                Optional<CertifiedIdentity> identity, Optional<UserCredential> login, String address, String action) {
            this.identity = identity;
            this.login = login;
            this.address = address;
            this.action = action;
        }

        /** The same caller with a request that is named otherwise than its method. */
        public Caller requesting(String kind) {
            return new Caller(identity, login, address, kind);
        }

        /** Network address of the caller. */
        public String address() {
            return address;
        }

        /** True if the user logged in with a password that it does not have any more. Its long calls must end. */
        public boolean isLoggedOut() {
            return login.isPresent()
                    && (isRevoked()
                            || !users.flatMap(known -> known.find(login.get().user()))
                                    .equals(login));
        }

        private boolean isRevoked() {
            return identity.flatMap(one -> revocation(CertificateSubject.of(one)))
                    .isPresent();
        }

        /** The identity for the audit log, such as {@code user/ann}; empty without one. */
        String principal() {
            return identity.map(CertifiedIdentity::principal).orElse("");
        }

        /** Makes a change after it was written to the audit log, if that succeeds; an answer that is an error is written too. */
        public <R> void audited(String object, Completion<R> completion, Consumer<Completion<R>> change) {
            if (!audit.isOn()) {
                change.accept(completion);
                return;
            }
            CompletableFuture<Done> unused = audit.change(principal(), address, action, object)
                    .whenComplete((written, failure) -> {
                        if (failure == null) {
                            make(change, outcome -> answer(object, outcome, completion));
                        } else {
                            completion.done(Outcome.err(toError(failure)));
                        }
                    });
        }

        /** Makes the change. A failure of its handler is an answer too, because no other thread would report it. */
        private static <R> void make(Consumer<Completion<R>> change, Completion<R> completion) {
            try {
                change.accept(completion);
            } catch (UniserveException e) {
                completion.done(Outcome.err(e));
            } catch (RuntimeException | LinkageError | StackOverflowError e) {
                LOG.error("an administrative request failed unexpectedly", e);
                completion.done(
                        Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the request failed: see the log", e)));
            }
        }

        private <R> void answer(String object, Outcome<R> outcome, Completion<R> completion) {
            if (outcome instanceof Outcome.Ok) {
                completion.done(outcome);
                return;
            }
            CompletableFuture<Done> unused = audit.failed(
                            principal(),
                            address,
                            action,
                            object,
                            outcome.error().getMessage())
                    .whenComplete((written, failure) -> completion.done(outcome));
        }

        private static UniserveException toError(Throwable failure) {
            return failure instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.IO, "the audit log cannot be written", failure);
        }

        /**
         * The id under which a request for the table may be served: the requested one if it is the table's, else one that no table
         * has. Rights are of names, and replicas are found by ids. Fails with UNAVAILABLE if this process does not know the table yet.
         */
        public long servedId(TableName table, long requested) {
            return isTrusted() ? requested : tables.servedId(table, requested);
        }

        /** True if the caller may read the table; writes a refusal otherwise. For tables that a plan reaches. Fails as {@link #check}. */
        public boolean mayRead(TableName table) {
            checkKnown();
            boolean may = permits(Right.READ, Optional.of(table));
            if (!may) {
                audit.refused(principal(), address, action, table.value(), "lacks right READ");
            }
            return may;
        }

        /** Writes the refusal of a request for a reason that is no right. */
        public void refused(String object, String reason) {
            audit.refused(principal(), address, action, object, reason);
        }

        /** Name of the user; empty for a process, or without an identity. */
        public String user() {
            return identity.filter(one -> one.kind() == Kind.USER)
                    .map(CertifiedIdentity::name)
                    .orElse("");
        }

        /** True if a rule or the settings give the user a role; always true for a process. */
        public boolean hasRole() {
            AccessRules rules = state.rules;
            return isTrusted()
                    || admins.contains(user())
                    || rules != null && !rules.of(user()).isEmpty();
        }

        /** Limits on the caller's requests; none for a process. */
        public UserLimits limits() {
            return AccessControl.this.limits(user());
        }

        /** Name under which its work is queued: the user's if it is a user, else the one that the request names. */
        public String queueName(String named) {
            String user = open ? "" : user();
            return user.isEmpty() ? named : user;
        }

        private boolean isTrusted() {
            return open || identity.isPresent() && identity.get().kind() == Kind.SERVER;
        }

        /** True if this process can decide about the caller: it knows the rules. */
        public boolean isDecidable() {
            return isTrusted() || state.rules != null && !isLoggedOut();
        }

        /** Fails with UNAUTHORIZED for a caller without an identity, and with UNAVAILABLE if the rules are not known. */
        public void checkKnown() {
            Optional<UniserveException> undecided = undecided();
            if (undecided.isPresent()) {
                throw undecided.get();
            }
        }

        /** Reason why no right of the caller can be decided; empty if it can. */
        private Optional<UniserveException> undecided() {
            if (isTrusted()) {
                return Optional.empty();
            }
            if (user().isEmpty()) {
                return Optional.of(new UniserveException(
                        ErrorCode.UNAUTHORIZED,
                        "the caller has no identity: use a certificate (uniserve security issue user NAME), or a user"
                                + " with a password (uniserve user add NAME)"));
            }
            if (isLoggedOut()) {
                return Optional.of(
                        users.isEmpty()
                                ? usersUnknown()
                                : new UniserveException(
                                        ErrorCode.UNAUTHORIZED,
                                        "the password of user " + user()
                                                + " was changed or removed after its login, or the user is revoked: log in again"));
            }
            return state.rules != null
                    ? Optional.empty()
                    : Optional.of(new UniserveException(
                            ErrorCode.UNAVAILABLE,
                            "this process has not read the rules of users, node /access in ZooKeeper, or they are damaged:"
                                    + " try again or elsewhere"));
        }

        /** True if the caller has the right. */
        public boolean permits(Right right, Optional<TableName> table) {
            if (isTrusted()) {
                return true;
            }
            String user = user();
            State now = state;
            AccessRules rules = now.rules;
            if (user.isEmpty() || rules == null || isLoggedOut()) {
                return false;
            }
            if (admins.contains(user)) {
                return true;
            }
            Decision decision = new Decision(user, right, table);
            Boolean known = now.decisions.get(decision);
            if (known != null) {
                return known;
            }
            boolean permitted = rules.permits(user, right, table);
            if (now.decisions.size() < DECISIONS_MAX) {
                now.decisions.put(decision, permitted);
            }
            return permitted;
        }

        /**
         * Checks a right.
         *
         * @throws UniserveException TABLE_NOT_FOUND if the caller may not know whether the table exists; UNAUTHORIZED if the right is
         *     missing otherwise; UNAVAILABLE if this process has not read the rules yet
         */
        public void check(Right right, Optional<TableName> table) {
            if (permits(right, table)) {
                return;
            }
            UniserveException refusal = undecided().orElseGet(() -> lacking(right, table));
            audit.refused(
                    principal(),
                    address,
                    action,
                    table.map(TableName::value).orElse(""),
                    refusal.code() == ErrorCode.TABLE_NOT_FOUND ? "lacks right " + right : refusal.reason());
            throw refusal;
        }

        private UniserveException lacking(Right right, Optional<TableName> table) {
            String user = user();
            if (table.isPresent() && !permits(Right.DESCRIBE, table)) {
                return absent(table.get());
            }
            return new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "user " + user + " lacks right " + right
                            + table.map(name -> " of table " + name).orElse("")
                            + ": an admin grants it by uniserve grant "
                            + user + " " + role(right).text()
                            + table.map(name -> " " + name).orElse(""));
        }

        /** Rules of the user, with the role that the settings give. */
        public List<RoleGrant> withSettings(String user, List<RoleGrant> grants) {
            return AccessControl.this.withSettings(user, grants);
        }

        private static Role role(Right right) {
            return switch (right) {
                case READ, DESCRIBE, CONNECT -> Role.READER;
                case WRITE -> Role.WRITER;
                case MONITOR -> Role.MONITOR;
                case OPERATE -> Role.OPERATOR;
                case ADMINISTER -> Role.ADMIN;
            };
        }
    }

    /** The error for a password while this process does not know the users. */
    public static UniserveException usersUnknown() {
        return new UniserveException(
                ErrorCode.UNAVAILABLE,
                "this process has not read the users with a password, node /users in ZooKeeper, or they are damaged: try"
                        + " again or elsewhere");
    }

    /** The error for an absent table, and for a table that is hidden from the caller. */
    public static UniserveException absent(TableName table) {
        return new UniserveException(
                ErrorCode.TABLE_NOT_FOUND, "table " + table + " does not exist; create it, or list the tables");
    }
}
