@org.jspecify.annotations.NullMarked
package io.uniserve.model.registry;
