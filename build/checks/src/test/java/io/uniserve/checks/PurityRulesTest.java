package io.uniserve.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.uniserve.checks.Classes.inModules;
import static io.uniserve.checks.Classes.inPackages;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rules for one history per seed: protocol and policies are pure, and time and randomness come from one place each. */
class PurityRulesTest {
    private static final DescribedPredicate<JavaClass> PROTOCOL = inPackages("io.uniserve.protocol..");
    private static final DescribedPredicate<JavaClass> POLICIES = inPackages("io.uniserve..policy..");
    private static final DescribedPredicate<JavaClass> CLOCK = inPackages("io.uniserve.runtime..time..");

    private static final Map<String, Set<String>> CLOCK_CALLS = Map.of(
            "java.lang.System", Set.of("nanoTime", "currentTimeMillis"),
            "java.time.Instant", Set.of("now"),
            "java.time.LocalDate", Set.of("now"),
            "java.time.LocalDateTime", Set.of("now"),
            "java.time.ZonedDateTime", Set.of("now"),
            "java.time.OffsetDateTime", Set.of("now"),
            "java.time.Clock", Set.of("systemUTC", "systemDefaultZone", "system", "tickMillis"));

    private static final Map<String, Set<String>> RANDOM_CALLS = Map.of(
            "java.util.UUID", Set.of("randomUUID"),
            "java.util.concurrent.ThreadLocalRandom", Set.of("current"),
            "java.lang.Math", Set.of("random"),
            "java.security.SecureRandom", Set.of("<init>", "getInstanceStrong"),
            "java.lang.System", Set.of("identityHashCode"));

    private static final Map<String, Set<String>> HASH_ORDER = Map.of(
            "java.util.HashMap", Set.of("<init>"),
            "java.util.HashSet", Set.of("<init>"),
            "java.util.IdentityHashMap", Set.of("<init>"),
            "java.util.WeakHashMap", Set.of("<init>"),
            "java.util.concurrent.ConcurrentHashMap", Set.of("<init>", "newKeySet"),
            "java.util.Map", Set.of("copyOf", "ofEntries"),
            "java.util.Set", Set.of("copyOf"),
            "java.util.stream.Collectors",
                    Set.of("toSet", "toUnmodifiableSet", "toUnmodifiableMap", "groupingByConcurrent"));

    /** {@code Set.of(a, b)}, {@code Map.of(k, v, l, w)}, and collectors that choose a hash map themselves. */
    private static final DescribedPredicate<JavaAccess<?>> HASH_ORDER_BY_ARITY =
            describe("keep elements in hash order", access -> {
                if (!(access.getTarget() instanceof CodeUnitCallTarget target)) {
                    return false;
                }
                int arity = target.getRawParameterTypes().size();
                boolean array =
                        arity == 1 && target.getRawParameterTypes().get(0).isArray();
                return switch (target.getOwner().getName() + "." + target.getName()) {
                    case "java.util.Set.of" -> arity > 1 || array;
                    case "java.util.Map.of" -> arity > 2;
                    case "java.util.stream.Collectors.groupingBy" -> arity < 3;
                    case "java.util.stream.Collectors.toMap" -> arity < 4;
                    default -> false;
                };
            });

    /**
     * Members of the protocol packages that may use a hash-ordered collection, as CLASS or CLASS.MEMBER, because its order has no effect.
     * Each has its reason in a comment next to it.
     */
    private static final Set<String> HASH_ORDER_ALLOWED = Set.of();

    @Test
    void theSystemClockIsReadInOnePackage() {
        check(noClasses()
                .that(not(CLOCK).and(not(inModules("build/checks"))))
                .should()
                .accessTargetWhere(calls("read the system clock", CLOCK_CALLS))
                .because("time is an argument; the adapters of the system clock are in io.uniserve.runtime.time"));
    }

    @Test
    void protocolReadsNoClockAndDrawsNoRandomNumbers() {
        check(noClasses()
                .that(PROTOCOL)
                .should()
                .accessTargetWhere(calls("read the system clock", CLOCK_CALLS))
                .orShould()
                .accessTargetWhere(calls("draw random numbers", RANDOM_CALLS))
                .orShould()
                .dependOnClassesThat(inPackages("java.util.random..", "java.security.."))
                .because("use the Clock, Timers and Ids of io.uniserve.protocol.env"));
    }

    @Test
    void protocolHasNoThreads() {
        check(noClasses()
                .that(PROTOCOL)
                .should()
                .dependOnClassesThat(
                        inPackages("java.util.concurrent..").and(not(named("java.util.concurrent.TimeUnit"))))
                .orShould()
                .dependOnClassesThat(named("java.lang.Thread"))
                .orShould()
                .dependOnClassesThat(named("java.lang.ThreadLocal"))
                .orShould()
                .dependOnClassesThat(named("java.util.Timer"))
                .because("state machines are single-threaded; effects go through io.uniserve.protocol.env"));
    }

    @Test
    void protocolDoesNoInputOutput() {
        check(noClasses()
                .that(PROTOCOL)
                .should()
                .dependOnClassesThat(inPackages("java.nio.file..", "java.nio.channels..", "java.net..")
                        .or(inPackages("java.io..").and(not(PURE_IO))))
                .because("files, network and stores are reached through io.uniserve.protocol.env"));
    }

    @Test
    void protocolNeverIteratesInHashOrder() {
        DescribedPredicate<JavaAccess<?>> seen = describe(
                "keep elements in hash order",
                access -> !allowed(access.getOrigin())
                        && (calls("", HASH_ORDER).test(access) || HASH_ORDER_BY_ARITY.test(access)));
        check(noClasses()
                .that(PROTOCOL)
                .should()
                .accessTargetWhere(seen)
                .because(
                        "hash order differs between runs; use LinkedHashMap, LinkedHashSet, TreeMap, TreeSet or List"));
    }

    @Test
    void policiesArePure() {
        check(noClasses()
                .that(POLICIES)
                .should()
                .accessTargetWhere(calls("read the system clock", CLOCK_CALLS))
                .orShould()
                .accessTargetWhere(calls("draw random numbers", RANDOM_CALLS))
                .orShould()
                .dependOnClassesThat(inPackages(
                        "java.io..",
                        "java.nio.file..",
                        "java.nio.channels..",
                        "java.net..",
                        "org.slf4j..",
                        "java.util.concurrent.."))
                .orShould()
                .dependOnClassesThat(named("java.lang.Thread"))
                .because("a policy is a function of the views it is given: no I/O, clock, logger or thread"));
    }

    /** Calls that order Strings by UTF-16 units. */
    private static final Map<String, Set<String>> UTF16_ORDER = Map.of(
            "java.lang.String", Set.of("compareTo", "compareToIgnoreCase"),
            "java.util.Comparator", Set.of("naturalOrder", "reverseOrder"),
            "java.util.Collections", Set.of("reverseOrder"));

    /** Calls that use the natural order of any type, which may be texts of a port's rows. */
    private static final DescribedPredicate<JavaAccess<?>> OWN_ORDER = describe(
            "order by an order that is not said",
            access -> access.getTarget() instanceof CodeUnitCallTarget target
                    && switch (target.getOwner().getName() + "." + target.getName()) {
                        case "java.util.Comparator.comparing" ->
                            target.getRawParameterTypes().size() == 1;
                        case "java.util.Comparator.thenComparing" ->
                            target.getRawParameterTypes().size() == 1
                                    && target.getRawParameterTypes()
                                            .get(0)
                                            .getName()
                                            .equals("java.util.function.Function");
                        case "java.util.stream.Stream.sorted" ->
                            target.getRawParameterTypes().isEmpty();
                        default -> false;
                    });

    @Test
    void portsOrderTextsByCodePoint() {
        check(noClasses()
                .that(inPackages("io.uniserve.port..", "io.uniserve.lucene.."))
                .should()
                .accessTargetWhere(calls("order by UTF-16 units", UTF16_ORDER))
                .orShould()
                .accessTargetWhere(OWN_ORDER)
                .because(
                        "engines order text by UTF-8: use io.uniserve.codec.CodePoints.ORDER, or name the comparator"));
        check(noClasses()
                .that(inPackages("io.uniserve.sql..", "io.uniserve.api..", "io.uniserve.codec.."))
                .should()
                .accessTargetWhere(calls(
                        "order by UTF-16 units",
                        Map.of("java.lang.String", Set.of("compareTo", "compareToIgnoreCase"))))
                .because("engines order text by UTF-8: use io.uniserve.codec.CodePoints"));
    }

    /** Pure value types of java.io. */
    private static final DescribedPredicate<JavaClass> PURE_IO = named("java.io.UncheckedIOException")
            .or(named("java.io.IOException"))
            .or(named("java.io.Serializable"));

    private static DescribedPredicate<JavaClass> named(String name) {
        return describe(name, type -> type.getName().equals(name));
    }

    private static boolean allowed(JavaCodeUnit origin) {
        String owner = origin.getOwner().getName();
        return HASH_ORDER_ALLOWED.contains(owner) || HASH_ORDER_ALLOWED.contains(owner + "." + origin.getName());
    }

    private static DescribedPredicate<JavaAccess<?>> calls(String description, Map<String, Set<String>> methods) {
        return describe(
                description,
                access -> methods.getOrDefault(access.getTargetOwner().getName(), Set.of())
                        .contains(access.getTarget().getName()));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(Classes.ALL);
    }
}
