package io.uniserve.balance.catalog;

import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.basic.EstorePolicy;
import io.uniserve.balance.policy.basic.GetafixPolicy;
import io.uniserve.balance.policy.basic.GreedyPolicy;
import io.uniserve.balance.policy.basic.ParallelismPolicy;
import io.uniserve.balance.policy.basic.StaticPolicy;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The policies that a configuration can name. */
public final class Policies {
    /** The policy that is used when none is named. */
    public static final String DEFAULT = "greedy";

    private static final Map<String, Supplier<BalancePolicy>> SHIPPED = shipped();

    private Policies() {}

    private static Map<String, Supplier<BalancePolicy>> shipped() {
        Map<String, Supplier<BalancePolicy>> all = new LinkedHashMap<>();
        all.put("greedy", GreedyPolicy::new);
        all.put("parallelism", ParallelismPolicy::new);
        all.put("estore", EstorePolicy::new);
        all.put("getafix", GetafixPolicy::new);
        all.put("static", StaticPolicy::new);
        return all;
    }

    /** The names of the policies that ship. */
    public static List<String> names() {
        return List.copyOf(SHIPPED.keySet());
    }

    /** The policy of this name, or of this class: one with a public constructor without arguments. */
    public static BalancePolicy named(String name) {
        Supplier<BalancePolicy> known = SHIPPED.get(name);
        if (known != null) {
            return known.get();
        }
        if (name.indexOf('.') < 0) {
            throw UniserveException.invalid("policy '" + Printable.line(name) + "' is unknown: use one of "
                    + String.join(", ", SHIPPED.keySet()) + ", or the name of a class");
        }
        return ofClass(name);
    }

    private static BalancePolicy ofClass(String name) {
        try {
            Object made = Class.forName(name, true, Thread.currentThread().getContextClassLoader())
                    .getConstructor()
                    .newInstance();
            if (made instanceof BalancePolicy policy) {
                return policy;
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "policy class " + Printable.line(name)
                            + " cannot be made: it has to be on the class path, public, with"
                            + " a public constructor without arguments",
                    e);
        }
        throw UniserveException.invalid("class " + Printable.line(name) + " is not a " + BalancePolicy.class.getName());
    }
}
