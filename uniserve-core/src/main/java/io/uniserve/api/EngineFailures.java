package io.uniserve.api;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Turns what an engine throws into errors with a stable code. Safe for use by several threads where {@code known} is.
 *
 * @param engine the engine's name, as messages give it
 * @param known the code of an exception that the engine is known to throw, such as INVALID_ARGUMENT for one that a query
 *     may cause; empty for any other. It is asked about each cause in turn.
 * @param reason rewrites a message of a known exception, so that its reason comes first and what may be cut last
 */
public record EngineFailures(
        String engine, Function<Throwable, Optional<ErrorCode>> known, UnaryOperator<String> reason) {
    /** One whose messages begin with their reason. */
    public EngineFailures(String engine, Function<Throwable, Optional<ErrorCode>> known) {
        this(engine, known, UnaryOperator.identity());
    }

    /** INVALID_ARGUMENT for what only a query or row can cause. */
    public static EngineFailures ofUsers(String engine, Predicate<Throwable> users) {
        return new EngineFailures(
                engine, failure -> users.test(failure) ? Optional.of(ErrorCode.INVALID_ARGUMENT) : Optional.empty());
    }

    /** The same with messages rewritten. */
    public EngineFailures reason(UnaryOperator<String> rewriting) {
        return new EngineFailures(engine, known, rewriting);
    }

    /**
     * Calls the engine. A UniserveException among the causes of a failure comes out as it is; without a known code,
     * IOException becomes IO and any other PORT_FAILED, with class and message of what was thrown. A stack that overflows is
     * INVALID_ARGUMENT: engines recurse into what they are given.
     *
     * @param what what the engine was asked to do, for the message: "cannot" and then this
     */
    public <T> T translated(String what, Callable<T> work) {
        try {
            return work.call();
        } catch (Exception | StackOverflowError e) {
            throw translate(what, e);
        }
    }

    /** As {@link #translated}, for work without a result. */
    public void run(String what, Action work) {
        try {
            work.run();
        } catch (Exception | StackOverflowError e) {
            throw translate(what, e);
        }
    }

    /** Something done to an engine. */
    @FunctionalInterface
    public interface Action {
        /** All that it throws is the engine's. */
        void run() throws Exception;
    }

    /** A method of the engine's with one argument that it lets only its own classes call. */
    public <T, A> BiConsumer<T, A> hidden(Class<T> owner, String name, Class<A> argument) {
        String what = "call " + owner.getSimpleName() + "." + name;
        Method method = translated(what, () -> {
            Method found = owner.getDeclaredMethod(name, argument);
            found.setAccessible(true);
            return found;
        });
        return (object, value) -> translated(what, () -> method.invoke(object, value));
    }

    private UniserveException translate(String what, Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UniserveException told) {
                return told;
            }
        }
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StackOverflowError) {
                String why = "the request is nested too deeply; use fewer brackets and operators within each other";
                return new UniserveException(ErrorCode.INVALID_ARGUMENT, engine + ": " + why, failure);
            }
            Optional<ErrorCode> code = known.apply(cause);
            if (code.isPresent()) {
                return new UniserveException(code.get(), engine + ": " + users(cause), failure);
            }
        }
        ErrorCode code = failure instanceof IOException ? ErrorCode.IO : ErrorCode.PORT_FAILED;
        return new UniserveException(code, engine + " cannot " + what + ": " + named(failure), failure);
    }

    /** Some engines say no more than that they failed, as for a function of a field whose type it does not know. */
    private String users(Throwable failure) {
        String hint = "; look for a function or an option that a field's type does not have";
        return failure.getMessage() == null ? told(failure) + hint : Printable.line(reason.apply(failure.getMessage()));
    }

    /** Its class and its message: a message alone, such as that of a NullPointerException, seldom says what failed. */
    private static String named(Throwable failure) {
        String told = told(failure);
        String name = failure.getClass().getSimpleName();
        return failure.getMessage() == null || name.isEmpty() ? told : name + ": " + told;
    }

    private static String told(Throwable failure) {
        return failure.getMessage() == null
                ? failure.getClass().getSimpleName() + " without a message"
                : Printable.line(failure.getMessage());
    }
}
