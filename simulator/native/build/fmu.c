/* A mechanism as a co-simulation FMU, FMI 2.0 and 3.0: reads resources/mechanism.bin and calls the kernels.

   One library serves every mechanism. The resource, which session/fmu/resource.py writes, holds the memory of one
   mechanism (simulator/native/image.py), the variables, and where their numbers go. The types below are those of the
   FMI standard, https://fmi-standard.org, versions 2.0.5 and 3.0.2. Nothing here is shared by instances. */

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define SHOWN __declspec(dllexport)
#define HIDDEN
#else
#define SHOWN __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden"))) /* several FMUs in a process have kernels of the same names */
#endif
#define PASTED(name, level) name##_##level
#define KERNEL(name, level) PASTED(name, level)
#define advance_block KERNEL(advance_block, LEVEL)
#define advance_touching KERNEL(advance_touching, LEVEL)
#define watch KERNEL(watch, LEVEL)
HIDDEN extern int32_t advance_block(void *table), advance_touching(void *table), watch(void *table), level(void);

/* -- the resource: 8-byte words, places in bytes from its start, or from the start of the image ------------------- */

typedef struct {
    char magic[8];
    int64_t size, image, image_size, addresses, n_addresses, variables, n_variables, targets, n_targets, terms;
    int64_t undo, n_undo, token;
    int64_t advance, touching, watch;                              /* tables of calls; whether bodies touch */
    int64_t row, report, first, steps, dt_place, trend, n_trend, ledger, blocked, line_axis; /* in the image */
    int64_t energy, timed;                                         /* place in a row; whether loads change over time */
    double dt;
} Header;

enum { OUTPUT, INPUT, PARAMETER };
typedef struct {
    int64_t kind, place, name; /* place of an output in a row */
    double start, lower, upper;
} Variable;

typedef struct { /* a number of the image is base + sum of factor (value - origin) */
    int64_t kind, place, first_term, n_terms;
    double base;
} Target;

typedef struct {
    int64_t variable;
    double factor, origin;
} Term;

typedef struct { /* what the next step needs, and what it was before the last call, in the image */
    int64_t place, kept, size;
} Undo;

enum { DONE, ROOM, ROWS, TROUBLE, CROWDED, NO_MEMORY }; /* physics/step/block.py, and one more */
enum { MADE, WRITTEN, WHY, NEWS, SHORT };
enum { HALVINGS = 6, FOR_ENERGY = 2 }; /* engine/stepping.py, and so is the next one */
static const double BALANCED = 1e-3;
static const double SAME = 1e-6;     /* part of a step by which times may differ */
static const char MAGIC[8] = "SIMFMU1";

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { INSTANTIATED, INITIALIZING, STEPPING, TERMINATED };

typedef void (*Log2)(void *environment, const char *instance, int status, const char *category, const char *text, ...);
typedef void (*Log3)(void *environment, int status, const char *category, const char *text);
typedef struct {
    Log2 log;
    void *allocate, *release, *finished, *environment;
} Callbacks2;

typedef struct { /* the state of an instance; its memory follows, with addresses from its start on */
    double origin, time, step; /* `origin`: time of the importer at which the mechanism begins */
    int64_t mode;
    double values[];
} State;

typedef struct {
    const Header *about;
    char *room, *image; /* the image is in the room, at a multiple of 16 */
    State *state;
    int64_t blocked; /* in the last step: 1 + the line of a drive that could not move its axis, negative with another */
    char *name;
    Log2 log2;
    Log3 log3;
    void *environment;
} Instance;

static int say(const Instance *c, int status, const char *format, ...)
{
    char text[500];
    va_list given;
    va_start(given, format);
    vsnprintf(text, sizeof text, format, given);
    va_end(given);
    const char *category = status == DISCARD ? "logStatusDiscard" : "logStatusError";
    if (c->log2) c->log2(c->environment, c->name, status, category, "%s", text);
    if (c->log3) c->log3(c->environment, status, category, text);
    return status;
}

static const void *part(const Instance *c, int64_t place) { return (const char *)c->about + place; }
static const Variable *variables(const Instance *c) { return part(c, c->about->variables); }
static double *floats(const Instance *c, int64_t place) { return (double *)(c->image + place); }
static int64_t *ints(const Instance *c, int64_t place) { return (int64_t *)(c->image + place); }
static double *row(const Instance *c) { return floats(c, c->about->row); }
static size_t header_size(const Instance *c) { return sizeof(State) + 8 * (size_t)c->about->n_variables; }

/* Add the address of the image to the words that are addresses in it, or take it off. */
static void relocate(const Instance *c, char *image, bool add)
{
    const int64_t *places = part(c, c->about->addresses);
    const int64_t base = (int64_t)(intptr_t)c->image;
    for (int64_t i = 0; i < c->about->n_addresses; i++) *(int64_t *)(image + places[i]) += add ? base : -base;
}

static void put(Instance *c, int kind)
{
    const Target *target = part(c, c->about->targets);
    const Term *terms = part(c, c->about->terms);
    for (const Target *end = target + c->about->n_targets; target < end; target++) {
        if (target->kind != kind) continue;
        double number = target->base;
        for (const Term *t = terms + target->first_term; t < terms + target->first_term + target->n_terms; t++) {
            const Variable *v = variables(c) + t->variable;
            const double value = fmin(fmax(c->state->values[t->variable], v->lower), v->upper);
            number += t->factor * (value - t->origin);
        }
        *floats(c, target->place) = number;
    }
}

static void begin(Instance *c)
{
    memcpy(c->image, part(c, c->about->image), (size_t)c->about->image_size);
    relocate(c, c->image, true);
    *c->state = (State){.step = c->about->dt};
    for (int64_t i = 0; i < c->about->n_variables; i++) c->state->values[i] = variables(c)[i].start;
}

static void release(Instance *c)
{
    if (!c) return;
    free((void *)c->about);
    free(c->room);
    free(c->state);
    free(c->name);
    free(c);
}

static int read_resource(Instance *c, const char *folder)
{
    char path[4200];
    Header head;
    const size_t length = strlen(folder);
    const bool ends = length && (folder[length - 1] == '/' || folder[length - 1] == '\\');
    snprintf(path, sizeof path, "%s%smechanism.bin", folder, ends ? "" : "/");
    FILE *file = fopen(path, "rb");
    if (!file) return say(c, ERROR, "cannot open '%s'", path);
    bool is_whole = fread(&head, sizeof head, 1, file) == 1 && !memcmp(head.magic, MAGIC, sizeof MAGIC);
    Header *about = is_whole ? malloc((size_t)head.size) : NULL;
    if (about) {
        const size_t rest = (size_t)head.size - sizeof head;
        *about = head;
        is_whole = fread(about + 1, 1, rest, file) == rest;
    }
    fclose(file);
    c->about = about;
    if (!is_whole) return say(c, ERROR, "'%s' is damaged, or of another version of this program", path);
    return about ? OK : say(c, ERROR, "no memory for '%s', %lld bytes", path, (long long)head.size);
}

static int prepare(Instance *c, const char *name, const char *token, const char *folder)
{
    if (!(c->name = calloc(strlen(name) + 1, 1))) return say(c, ERROR, "no memory");
    strcpy(c->name, name);
    if (level() < NEEDED) return say(c, ERROR, "this processor lacks instructions that others since 2009 have");
    if (read_resource(c, folder)) return ERROR;
    if (strcmp(token, part(c, c->about->token)))
        return say(c, ERROR, "modelDescription.xml and mechanism.bin are not of the same FMU");
    c->room = malloc((size_t)c->about->image_size + 16);
    c->state = malloc(header_size(c));
    if (!c->room || !c->state) return say(c, ERROR, "no memory for %lld bytes", (long long)c->about->image_size);
    c->image = (char *)(((uintptr_t)c->room + 15) & ~(uintptr_t)15);
    begin(c);
    return OK;
}

static Instance *make(Instance given, const char *name, const char *token, const char *folder)
{
    Instance *c = malloc(sizeof *c);
    if (!c) {
        say(&given, ERROR, "no memory");
        return NULL;
    }
    *c = given;
    if (prepare(c, name ? name : "", token ? token : "", folder ? folder : "")) {
        release(c);
        return NULL;
    }
    return c;
}

/* -- steps --------------------------------------------------------------------------------------------------------- */

static int64_t run(Instance *c, int64_t steps)
{
    const Header *at = c->about;
    *ints(c, at->steps) = steps;
    const int32_t failed = (at->touching ? advance_touching : advance_block)(c->image + at->advance);
    const int64_t *report = ints(c, at->report);
    *ints(c, at->first) += report[MADE];
    c->blocked = *ints(c, at->blocked);
    return failed ? TROUBLE : report[WHY];
}

/* The effort of a motor at the end of a step continues its means over steps of one length. */
static void restart_trend(Instance *c)
{
    double *trend = floats(c, c->about->trend);
    for (int64_t i = 0; i < c->about->n_trend; i++) trend[i] = i % 3 == 2 ? NAN : 0.0;
}

static bool is_good(const Instance *c, int halvings, double error)
{
    const double kinetic = row(c)[c->about->energy];
    return halvings == HALVINGS || fabs(row(c)[c->about->energy + 4] - error) < BALANCED * kinetic;
}

/* One step, in halves and halves of these where it cannot be made otherwise: engine.stepping.Stepper. */
static int64_t make_step(Instance *c, int halvings)
{
    const size_t size = (size_t)c->about->image_size;
    double *dt = floats(c, c->about->dt_place);
    int64_t *first = ints(c, c->about->first);
    char *kept = malloc(size);
    if (!kept) return NO_MEMORY;
    memcpy(kept, c->image, size);
    const double error = row(c)[c->about->energy + 4], whole = *dt;
    int64_t *report = ints(c, c->about->report);
    report[SHORT] = halvings <= HALVINGS - FOR_ENERGY;
    int64_t why = run(c, 1);
    report[SHORT] = 0;
    const bool is_made = report[MADE] == 1;
    if (is_made && (halvings == 0 || is_good(c, halvings, error)))
        why = DONE;
    else {
        memcpy(c->image, kept, size);
        if (halvings > 0 && (is_made || why == TROUBLE)) {
            const int64_t before = *first;
            *dt = 0.5 * whole;
            *first = 2 * before;
            restart_trend(c);
            why = make_step(c, halvings - 1);
            if (why == DONE) why = make_step(c, halvings - 1);
            *dt = whole;
            *first = before + 1;
            restart_trend(c);
            if (why != DONE) memcpy(c->image, kept, size);
        }
    }
    free(kept);
    return why;
}

static void take_back(Instance *c)
{
    const Undo *undo = part(c, c->about->undo);
    *ints(c, c->about->first) -= ints(c, c->about->report)[MADE];
    for (const Undo *end = undo + c->about->n_undo; undo < end; undo++)
        memcpy(c->image + undo->place, c->image + undo->kept, (size_t)undo->size);
    watch(c->image + c->about->watch);
}

/* Steps; where one cannot be made, those before it remain. */
static int64_t make_steps(Instance *c, int64_t steps)
{
    int64_t why = DONE;
    while (steps > 0 && why == DONE) {
        why = run(c, steps);
        const int64_t made = ints(c, c->about->report)[MADE];
        const bool failed = why == TROUBLE || why == ROOM || why == CROWDED;
        if (failed) {
            take_back(c);
            if (made > 0) run(c, made); /* the same steps again, to the last bit */
        }
        steps -= made;
        if (!failed) why = made > 0 ? DONE : TROUBLE;
        if (why == TROUBLE) {
            why = make_step(c, HALVINGS);
            steps -= 1;
        }
    }
    return why;
}

static int explain(const Instance *c, int64_t why)
{
    const double now = c->state->origin + c->state->time;
    if (why == NO_MEMORY) return say(c, ERROR, "at %g s: no memory", now);
    if (why == ROOM || why == CROWDED)
        return say(c, ERROR, "at %g s: more stops and contacts at once than this FMU has room for", now);
    if (c->blocked) {
        const int64_t axis = ints(c, c->about->line_axis)[llabs(c->blocked) - 1];
        const char *position = part(c, variables(c)[3 * axis].name); /* outputs begin with those of axes */
        return say(c, ERROR, "at %g s: a drive cannot change '%s': a stop, another drive or a dead point holds it", now,
                   position);
    }
    return say(c, ERROR, "at %g s: jammed or run away: not even 64ths of a step close the loops", now);
}

static void use_step(Instance *c, double step)
{
    if (fabs(step - c->state->step) <= 1e-9 * step) return; /* differences of rounded times */
    c->state->step = *floats(c, c->about->dt_place) = step;
    *ints(c, c->about->first) = llround(c->state->time / step);
    restart_trend(c);
}

/* A communication step that is a multiple of the mechanism's is made of steps of this; another of the fewest equal ones
   that are not longer. */
static int do_step(Instance *c, double now, double length)
{
    const double dt = c->about->dt, count = length / dt;
    if (c->state->mode != STEPPING) return say(c, ERROR, "doStep: initialization has not ended");
    if (!isfinite(now) || !(length > 0.0) || !(count < 9e15))
        return say(c, ERROR, "doStep: a step of %g s from %g s is not possible", length, now);
    if (fabs(now - c->state->origin - c->state->time) > SAME * fmax(dt, length))
        return say(c, ERROR, "doStep: at %.17g s; this instance is at %.17g s", now, c->state->origin + c->state->time);
    const bool is_multiple = count > 0.5 && fabs(count - nearbyint(count)) <= SAME;
    if (!is_multiple && c->about->timed)
        return say(c, DISCARD, "doStep: loads change over time here, so steps must be multiples of %g s, not %g s", dt,
                   length);
    const int64_t steps = is_multiple ? llround(count) : (int64_t)ceil(count);
    use_step(c, is_multiple ? dt : length / (double)steps);
    put(c, INPUT);
    const int64_t first = *ints(c, c->about->first);
    const int64_t why = make_steps(c, steps);
    c->state->time += (double)(*ints(c, c->about->first) - first) * c->state->step; /* also of a part */
    if (why != DONE) return explain(c, why);
    c->state->time = now - c->state->origin + length;
    return OK;
}

static int end_initialization(Instance *c)
{
    if (c->state->mode != INITIALIZING) return say(c, ERROR, "exitInitializationMode: it was not entered");
    c->state->mode = STEPPING;
    return OK;
}

static int enter(Instance *c, int64_t from, int64_t to)
{
    if (c->state->mode != from) return say(c, ERROR, "this call is not allowed now");
    c->state->mode = to;
    return OK;
}

static int get(Instance *c, const uint32_t references[], size_t n, double values[])
{
    for (size_t i = 0; i < n; i++) {
        const int64_t k = (int64_t)references[i] - 1; /* 0 is the time */
        if (k >= c->about->n_variables) return say(c, ERROR, "no number has the value reference %u", references[i]);
        if (k < 0)
            values[i] = c->state->origin + c->state->time;
        else
            values[i] = variables(c)[k].kind == OUTPUT ? row(c)[variables(c)[k].place] : c->state->values[k];
    }
    return OK;
}

static void use_parameters(Instance *c)
{
    put(c, PARAMETER);
    watch(c->image + c->about->watch);
    const double *energies = row(c) + c->about->energy;
    *floats(c, c->about->ledger) = energies[0] + energies[1]; /* what the balance begins with */
}

static int set(Instance *c, const uint32_t references[], size_t n, const double values[])
{
    bool varies = false;
    for (size_t i = 0; i < n; i++) {
        const int64_t k = (int64_t)references[i] - 1;
        if (k < 0 || k >= c->about->n_variables || variables(c)[k].kind == OUTPUT)
            return say(c, ERROR, "no input or parameter has the value reference %u", references[i]);
        const Variable *v = variables(c) + k;
        const char *name = part(c, v->name);
        if (!isfinite(values[i])) return say(c, ERROR, "'%s' cannot be %g", name, values[i]);
        if (v->kind == PARAMETER) {
            if (c->state->mode > INITIALIZING) return say(c, ERROR, "'%s' is fixed after initialization", name);
            if (values[i] < v->lower || values[i] > v->upper)
                return say(c, ERROR, "'%s' cannot be %g: it is from %g to %g", name, values[i], v->lower, v->upper);
            varies = varies || values[i] != c->state->values[k];
        }
        c->state->values[k] = values[i];
    }
    if (varies) use_parameters(c);
    return OK;
}

/* -- state: a copy of everything that an instance has, the same bytes wherever it is in memory --------------------- */

static size_t state_size(const Instance *c) { return header_size(c) + (size_t)c->about->image_size; }

static int get_state(Instance *c, void **state)
{
    if (!*state) *state = malloc(state_size(c));
    if (!*state) return say(c, ERROR, "no memory for a state of %zu bytes", state_size(c));
    char *image = (char *)*state + header_size(c);
    memcpy(*state, c->state, header_size(c));
    memcpy(image, c->image, (size_t)c->about->image_size);
    relocate(c, image, false);
    return OK;
}

static int set_state(Instance *c, const void *state)
{
    if (!state) return say(c, ERROR, "setFMUState: no state");
    memcpy(c->state, state, header_size(c));
    memcpy(c->image, (const char *)state + header_size(c), (size_t)c->about->image_size);
    relocate(c, c->image, true);
    return OK;
}

static int free_state(void **state)
{
    if (state) {
        free(*state);
        *state = NULL;
    }
    return OK;
}

static int serialize(Instance *c, const void *state, void *bytes, size_t size)
{
    if (!state || size < state_size(c)) return say(c, ERROR, "a state has %zu bytes", state_size(c));
    memcpy(bytes, state, state_size(c));
    return OK;
}

static int deserialize(Instance *c, const void *bytes, size_t size, void **state)
{
    if (size != state_size(c)) return say(c, ERROR, "a state has %zu bytes, not %zu", state_size(c), size);
    if (!*state) *state = malloc(size);
    if (!*state) return say(c, ERROR, "no memory for a state of %zu bytes", size);
    memcpy(*state, bytes, size);
    return OK;
}

/* -- what both versions of FMI have -------------------------------------------------------------------------------- */

#define FMI2(name) SHOWN int fmi2##name
#define FMI3(name) SHOWN int fmi3##name
#define BOTH(in_2, in_3, arguments, result) \
    FMI2(in_2) arguments { return result; } \
    FMI3(in_3) arguments { return result; }
#define SAME_NAME(name, arguments, result) BOTH(name, name, arguments, result)
#define LIST const uint32_t references[], size_t n
#define UNSUPPORTED(c) return say(c, ERROR, "%s is not supported", __func__)

SAME_NAME(ExitInitializationMode, (Instance *c), end_initialization(c))
SAME_NAME(Terminate, (Instance *c), enter(c, STEPPING, TERMINATED))
SAME_NAME(Reset, (Instance *c), (begin(c), OK))
BOTH(GetFMUstate, GetFMUState, (Instance *c, void **state), get_state(c, state))
BOTH(SetFMUstate, SetFMUState, (Instance *c, void *state), set_state(c, state))
BOTH(FreeFMUstate, FreeFMUState, (Instance *c, void **state), free_state(state))
BOTH(SerializedFMUstateSize, SerializedFMUStateSize, (Instance *c, void *state, size_t *size),
     (*size = state_size(c), OK))
BOTH(SerializeFMUstate, SerializeFMUState, (Instance *c, void *state, char bytes[], size_t size),
     serialize(c, state, bytes, size))
BOTH(DeSerializeFMUstate, DeserializeFMUState, (Instance *c, const char bytes[], size_t size, void **state),
     deserialize(c, bytes, size, state))
SHOWN void fmi2FreeInstance(Instance *c) { release(c); }
SHOWN void fmi3FreeInstance(Instance *c) { release(c); }

/* -- FMI 2.0 ------------------------------------------------------------------------------------------------------- */

static int hexadecimal(char digit)
{
    const char *digits = "0123456789abcdef", *found = digit ? strchr(digits, digit | 32) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* The folder of a file: URI (RFC 8089). */
static void folder_of(const char *uri, char *folder, size_t size)
{
    const char *from = strncmp(uri, "file:", 5) ? uri : uri + 5;
    if (from != uri && !strncmp(from, "//", 2)) {
        const char *path = strchr(from + 2, '/');
        from = path ? path : from + 2;
    }
#ifdef _WIN32
    if (from != uri && from[0] == '/' && from[1] && from[2] == ':') from++;
#endif
    size_t n = 0;
    for (; *from && n + 1 < size; n++, from++) {
        const int high = *from == '%' ? hexadecimal(from[1]) : -1, low = high < 0 ? -1 : hexadecimal(from[2]);
        folder[n] = low < 0 ? *from : (char)(16 * high + low);
        if (low >= 0) from += 2;
    }
    folder[n] = 0;
}

SHOWN const char *fmi2GetTypesPlatform(void) { return "default"; }
SHOWN const char *fmi2GetVersion(void) { return "2.0"; }

SHOWN void *fmi2Instantiate(const char *name, int type, const char *token, const char *uri, const Callbacks2 *callbacks,
                            int visible, int on)
{
    char folder[4096];
    Instance given = {.name = NULL};
    if (callbacks) given = (Instance){.log2 = callbacks->log, .environment = callbacks->environment};
    folder_of(uri ? uri : "", folder, sizeof folder);
    if (type == 1) return make(given, name, token, folder);
    say(&given, ERROR, "this FMU is for co-simulation");
    return NULL;
}

FMI2(SetupExperiment)(Instance *c, int bounded, double tolerance, double start, int ends, double stop)
{
    c->state->origin = start;
    return OK;
}
FMI2(SetDebugLogging)(Instance *c, int on, size_t n, const char *const categories[]) { return OK; }
FMI2(EnterInitializationMode)(Instance *c) { return enter(c, INSTANTIATED, INITIALIZING); }
FMI2(GetReal)(Instance *c, LIST, double values[]) { return get(c, references, n, values); }
FMI2(SetReal)(Instance *c, LIST, const double values[]) { return set(c, references, n, values); }
FMI2(DoStep)(Instance *c, double now, double length, int final) { return do_step(c, now, length); }
FMI2(GetRealStatus)(Instance *c, int kind, double *value)
{
    if (kind == 2) *value = c->state->origin + c->state->time; /* fmi2LastSuccessfulTime */
    return kind == 2 ? OK : DISCARD;
}
FMI2(GetStatus)(Instance *c, int kind, int *value) { return DISCARD; }
FMI2(GetIntegerStatus)(Instance *c, int kind, int *value) { return DISCARD; }
FMI2(GetBooleanStatus)(Instance *c, int kind, int *value) { return DISCARD; }
FMI2(GetStringStatus)(Instance *c, int kind, const char **value) { return DISCARD; }
FMI2(CancelStep)(Instance *c) { UNSUPPORTED(c); }
FMI2(SetRealInputDerivatives)(Instance *c, LIST, const int orders[], const double values[]) { UNSUPPORTED(c); }
FMI2(GetRealOutputDerivatives)(Instance *c, LIST, const int orders[], double values[]) { UNSUPPORTED(c); }
FMI2(GetDirectionalDerivative)(Instance *c, LIST, const uint32_t of[], size_t k, const double along[], double by[])
{
    UNSUPPORTED(c);
}

#define NONE2(kind, type) \
    FMI2(Get##kind)(Instance *c, LIST, type values[]) { return n ? say(c, ERROR, "all variables are Real") : OK; } \
    FMI2(Set##kind)(Instance *c, LIST, const type values[]) { return n ? say(c, ERROR, "all variables are Real") : OK; }
NONE2(Integer, int) NONE2(Boolean, int) NONE2(String, char *)

/* -- FMI 3.0 ------------------------------------------------------------------------------------------------------- */

SHOWN const char *fmi3GetVersion(void) { return "3.0"; }

SHOWN void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *folder, bool visible, bool on,
                                        bool events, bool early, const uint32_t intermediate[], size_t n,
                                        void *environment, Log3 log, void *update)
{
    const Instance given = {.log3 = log, .environment = environment};
    return make(given, name, token, folder);
}
SHOWN void *fmi3InstantiateModelExchange(const char *name, const char *token) { return NULL; }
SHOWN void *fmi3InstantiateScheduledExecution(const char *name, const char *token) { return NULL; }

FMI3(EnterInitializationMode)(Instance *c, bool bounded, double tolerance, double start, bool ends, double stop)
{
    c->state->origin = start;
    return enter(c, INSTANTIATED, INITIALIZING);
}
FMI3(SetDebugLogging)(Instance *c, bool on, size_t n, const char *const categories[]) { return OK; }
FMI3(GetFloat64)(Instance *c, LIST, double values[], size_t k) { return get(c, references, n, values); }
FMI3(SetFloat64)(Instance *c, LIST, const double values[], size_t k) { return set(c, references, n, values); }
FMI3(DoStep)(Instance *c, double now, double length, bool final, bool *event, bool *terminate, bool *early, double *last)
{
    const int status = do_step(c, now, length);
    *event = *early = false;
    *terminate = status == ERROR;
    *last = c->state->origin + c->state->time;
    return status;
}
FMI3(GetNumberOfVariableDependencies)(Instance *c, uint32_t reference, size_t *n) { return *n = 0, OK; }
FMI3(GetVariableDependencies)(Instance *c, uint32_t of) { return OK; } /* of outputs, which have none */

#define NOTHING_ELSE n ? say(c, ERROR, "all variables are Float64") : OK
#define NONE3(kind, type) \
    FMI3(Get##kind)(Instance *c, LIST, type values[], size_t k) { return NOTHING_ELSE; } \
    FMI3(Set##kind)(Instance *c, LIST, const type values[], size_t k) { return NOTHING_ELSE; }
NONE3(Float32, float) NONE3(Int8, int8_t) NONE3(UInt8, uint8_t) NONE3(Int16, int16_t) NONE3(UInt16, uint16_t)
NONE3(Int32, int32_t) NONE3(UInt32, uint32_t) NONE3(Int64, int64_t) NONE3(UInt64, uint64_t) NONE3(Boolean, bool)
NONE3(String, char *)

/* What modelDescription.xml says that this FMU cannot do. All have the instance as their first argument. */
#define ABSENT3(name) \
    FMI3(name)(Instance *c) { UNSUPPORTED(c); }
ABSENT3(GetBinary) ABSENT3(SetBinary) ABSENT3(GetClock) ABSENT3(SetClock)
ABSENT3(GetDirectionalDerivative) ABSENT3(GetAdjointDerivative) ABSENT3(GetOutputDerivatives)
ABSENT3(EnterConfigurationMode) ABSENT3(ExitConfigurationMode) ABSENT3(EnterEventMode) ABSENT3(EnterStepMode)
ABSENT3(GetIntervalDecimal) ABSENT3(GetIntervalFraction) ABSENT3(GetShiftDecimal) ABSENT3(GetShiftFraction)
ABSENT3(SetIntervalDecimal) ABSENT3(SetIntervalFraction) ABSENT3(SetShiftDecimal) ABSENT3(SetShiftFraction)
ABSENT3(EnterContinuousTimeMode) ABSENT3(CompletedIntegratorStep) ABSENT3(SetTime) ABSENT3(SetContinuousStates)
ABSENT3(GetContinuousStateDerivatives) ABSENT3(GetEventIndicators) ABSENT3(GetContinuousStates)
ABSENT3(GetNominalsOfContinuousStates) ABSENT3(GetNumberOfEventIndicators) ABSENT3(GetNumberOfContinuousStates)
ABSENT3(EvaluateDiscreteStates) ABSENT3(UpdateDiscreteStates) ABSENT3(ActivateModelPartition)
