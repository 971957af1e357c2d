package io.uniserve.api;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
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
 * Translator from an engine's exceptions to {@link UniserveException}s with stable error codes. Wrap every call into the engine in
 * {@link #call} or {@link #run}.
 *
 * <p>Thread-safety: safe for use by several threads if {@code known} and {@code reason} are.
 *
 * <p>Errors: {@link #call} and {@link #run} throw only {@link UniserveException}, and any {@link Error} but StackOverflowError.
 *
 * <pre>{@code
 * static final EngineFailures H2 = new EngineFailures(
 *         "H2", failure -> failure instanceof SQLSyntaxErrorException ? Optional.of(INVALID_ARGUMENT) : Optional.empty());
 *
 * long count() {
 *     return H2.call("count rows", () -> statement.executeQuery().getLong(1));
 * }
 * }</pre>
 *
 * @param engine the engine's name, a prefix of messages
 * @param classifier maps an exception to its code, such as INVALID_ARGUMENT for an exception that a bad query causes; empty for an unknown
 *     exception. It receives the exception and then each of its causes, until one has a code.
 * @param messageRewriter rewrites the message of a known exception, so that the reason comes first: long messages lose their end
 */
public record EngineErrorMapper(
        String engine, Function<Throwable, Optional<ErrorCode>> classifier, UnaryOperator<String> messageRewriter) {
    /** Translator for an engine whose messages already begin with their reason. */
    public EngineErrorMapper(String engine, Function<Throwable, Optional<ErrorCode>> known) {
        this(engine, known, UnaryOperator.identity());
    }

    /**
     * Translator that maps every exception accepted by the predicate to INVALID_ARGUMENT, for exceptions that only a query or row causes.
     */
    public static EngineErrorMapper forUserErrors(String engine, Predicate<Throwable> users) {
        return new EngineErrorMapper(
                engine, failure -> users.test(failure) ? Optional.of(ErrorCode.INVALID_ARGUMENT) : Optional.empty());
    }

    /** Returns a translator with this function as {@link #messageRewriter()}. */
    public EngineErrorMapper withMessages(UnaryOperator<String> rewriting) {
        return new EngineErrorMapper(engine, classifier, rewriting);
    }

    /**
     * Calls the engine and translates what it throws, in this order: a UniserveException among the causes is thrown unchanged; a
     * StackOverflowError becomes INVALID_ARGUMENT, because engines recurse into nested requests; a {@code known} exception gets its code;
     * an IOException becomes IO; any other exception becomes PORT_FAILED with its class and message.
     *
     * @param what the action, for the message: "ENGINE cannot WHAT: ..."
     */
    public <T> T call(String what, Callable<T> work) {
        try {
            return work.call();
        } catch (Exception | StackOverflowError e) {
            throw translate(what, e);
        }
    }

    /** Like {@link #call}, for work without a result. */
    public void run(String what, Action work) {
        try {
            work.run();
        } catch (Exception | StackOverflowError e) {
            throw translate(what, e);
        }
    }

    /** Call into the engine without a result. */
    @FunctionalInterface
    public interface Action {
        /** May throw any exception of the engine. */
        void run() throws Exception;
    }

    /** Returns a non-public method of the engine with one argument, made accessible by reflection. PORT_FAILED if the method is missing. */
    public <T, A> BiConsumer<T, A> nonPublicMethod(Class<T> owner, String name, Class<A> argument) {
        String what = "call " + owner.getSimpleName() + "." + name;
        Method method = call(what, () -> {
            Method found = owner.getDeclaredMethod(name, argument);
            found.setAccessible(true);
            return found;
        });
        return (object, value) -> call(what, () -> method.invoke(object, value));
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
            Optional<ErrorCode> code = classifier.apply(cause);
            if (code.isPresent()) {
                return new UniserveException(code.get(), engine + ": " + userMessage(cause), failure);
            }
        }
        ErrorCode code = failure instanceof IOException ? ErrorCode.IO : ErrorCode.PORT_FAILED;
        return new UniserveException(code, engine + " cannot " + what + ": " + classAndMessage(failure), failure);
    }

    /** Some engines throw without a message, as for a function on a field of an unsupported type. The hint names that case. */
    private String userMessage(Throwable failure) {
        String hint = "; look for a function or an option that a field's type does not have";
        return failure.getMessage() == null
                ? messageOf(failure) + hint
                : PrintableText.line(messageRewriter.apply(failure.getMessage()));
    }

    /** Class and message: the message alone, such as that of a NullPointerException, often does not name the failure. */
    private static String classAndMessage(Throwable failure) {
        String told = messageOf(failure);
        String name = failure.getClass().getSimpleName();
        return failure.getMessage() == null || name.isEmpty() ? told : name + ": " + told;
    }

    private static String messageOf(Throwable failure) {
        return failure.getMessage() == null
                ? failure.getClass().getSimpleName() + " without a message"
                : PrintableText.line(failure.getMessage());
    }
}
