package io.uniserve.placement.catalog;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.ExactSolver;
import io.uniserve.placement.policy.MovesBound;
import io.uniserve.placement.policy.basic.EstorePolicy;
import io.uniserve.placement.policy.basic.GetafixPolicy;
import io.uniserve.placement.policy.basic.GreedyPolicy;
import io.uniserve.placement.policy.basic.MilpPolicy;
import io.uniserve.placement.policy.basic.ParallelismPolicy;
import io.uniserve.placement.policy.basic.StaticPolicy;
import io.uniserve.placement.timeorder.ArrivalPolicy;
import io.uniserve.placement.timeorder.ServerSelector;
import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Catalog of placement policies that a configuration can name. */
public final class PolicyCatalog {
    /** Default policy. */
    public static final String DEFAULT = "greedy";

    /** Number of chunks after which nearness counts half: one day of hourly chunks. */
    private static final double SPREAD_HALF_LIFE = 24;

    private static final Map<String, Supplier<BalancePolicy>> SHIPPED = shipped();

    /** Names of shipped policies that never change the number of an actor's replicas, beyond missing ones. */
    private static final Set<String> MOVES_ONLY = Set.of("estore", "static", "easy", "spread", "balancenum");

    private PolicyCatalog() {}

    private static Map<String, Supplier<BalancePolicy>> shipped() {
        Map<String, Supplier<BalancePolicy>> all = new LinkedHashMap<>();
        all.put("greedy", GreedyPolicy::new);
        all.put("parallelism", () -> new ParallelismPolicy(solver()));
        all.put("milp", PolicyCatalog::milp);
        all.put("estore", EstorePolicy::new);
        all.put("getafix", GetafixPolicy::new);
        all.put("static", StaticPolicy::new);
        all.put("easy", () -> new ArrivalPolicy(ServerSelector.easy()));
        all.put("spread", () -> new ArrivalPolicy(ServerSelector.spread(SPREAD_HALF_LIFE)));
        all.put("balancenum", () -> new ArrivalPolicy(ServerSelector.balanceNum()));
        return all;
    }

    private static BalancePolicy milp() {
        ExactSolver solver = solver();
        if (solver == null) {
            throw missing("policy 'milp'", "use policy 'parallelism'");
        }
        return new MilpPolicy(solver);
    }

    /** Returns the bound that evaluates moves. Fails with UNSUPPORTED if it is not on the class path. */
    public static MovesBound movesBound() {
        MovesBound bound = loadService(MovesBound.class);
        if (bound == null) {
            throw missing("the bound on moves", "do without it");
        }
        return bound;
    }

    private static UniserveException missing(String what, String otherwise) {
        return new UniserveException(
                ErrorCode.UNSUPPORTED,
                what + " needs a solver, but there is none on the class path: add io.uniserve:uniserve-placement-milp"
                        + " (the distribution has it in solver/lib), or " + otherwise);
    }

    private static @Nullable ExactSolver solver() {
        return loadService(ExactSolver.class);
    }

    private static <T> @Nullable T loadService(Class<T> kind) {
        try {
            return ServiceLoader.load(kind).findFirst().orElse(null);
        } catch (ServiceConfigurationError e) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED, "the solver on the class path cannot be created: " + e, e);
        }
    }

    /** Returns the names of the shipped policies. */
    public static List<String> names() {
        return List.copyOf(SHIPPED.keySet());
    }

    /** True if the answers of this policy may have more or fewer replicas per actor. True for any class. */
    public static boolean isReplicating(String name) {
        return !MOVES_ONLY.contains(name);
    }

    /** Returns the policy with this name, or of this class, which needs a public constructor without arguments. */
    public static BalancePolicy byName(String name) {
        Supplier<BalancePolicy> known = SHIPPED.get(name);
        if (known != null) {
            return known.get();
        }
        if (name.indexOf('.') < 0) {
            throw UniserveException.invalid("policy '" + PrintableText.line(name) + "' is unknown: use one of "
                    + String.join(", ", SHIPPED.keySet()) + ", or the name of a class");
        }
        return byClass(name, BalancePolicy.class);
    }

    /**
     * Returns a policy of any kind of this class, which needs a public constructor without arguments. Fails with INVALID_ARGUMENT if it cannot
     * be created, or is of another kind.
     */
    public static <T> T byClass(String name, Class<T> kind) {
        try {
            Object made = Class.forName(name, true, Thread.currentThread().getContextClassLoader())
                    .getConstructor()
                    .newInstance();
            if (kind.isInstance(made)) {
                return kind.cast(made);
            }
        } catch (InvocationTargetException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the constructor of policy class " + PrintableText.line(name) + " failed: "
                            + PrintableText.line(String.valueOf(e.getCause())),
                    e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "policy class " + PrintableText.line(name)
                            + " cannot be created: it must be on the class path, public, with"
                            + " a public constructor without arguments",
                    e);
        }
        throw UniserveException.invalid("class " + PrintableText.line(name) + " is not a " + kind.getName());
    }
}
